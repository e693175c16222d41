"""Reading a plain call: every word is a known option with a good value, or an argument that fits.

Anything else (help, a misspelt name, a missing value) is left to click, which says it well. So there
is no second set of messages, and what both accept is the same (see `declare`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from loopx.cli.declare import BadValueError, Command, Group, Kind, Parameter
from loopx.cli.shared import shared_parameters
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Parsed(Value):
    """A command, its handler's parameters, and the options that belong to the whole call."""

    command: Command
    parameters: dict[str, Any]
    kept: dict[str, Any]


class _NotPlainError(Exception):
    """The call is not one of those that are read here."""


def parse(root: Group, argv: Sequence[str]) -> Parsed | None:
    """The call that `argv` makes, or None where click shall read it.

    A converter's own refusal (such as a duration out of range) passes through.
    """
    words = list(argv)
    kept: dict[str, Any] = {}
    try:
        node: Group | Command = root
        while not isinstance(node, Command):
            _read_options(words, _by_name(shared_parameters()), kept, stop_at_word=True)
            node = _member(node, words.pop(0) if words else "")
        given: dict[str, Any] = {}
        rest = _read_options(words, _by_name(node.parameters), given, stop_at_word=False)
        return _converted(node, given, rest, kept)
    except (_NotPlainError, BadValueError):
        return None


def load_member(group: Group, name: str) -> Group | Command | None:
    """The group's member of that name, imported now."""
    if name not in group.members:
        return None
    module = group.members[name][0]
    __import__(module)
    member: Group | Command = sys.modules[module].cli
    return member


def _member(group: Group, name: str) -> Group | Command:
    member = load_member(group, name)
    if member is None:
        raise _NotPlainError
    return member


def _by_name(parameters: Sequence[Parameter]) -> dict[str, Parameter]:
    return {name: parameter for parameter in parameters for name in (*parameter.names, *parameter.off_names)}


def _read_options(
    words: list[str], known: Mapping[str, Parameter], given: dict[str, Any], *, stop_at_word: bool
) -> list[str]:
    """Take options off the front of `words` into `given` as texts; what stands by itself is returned."""
    rest: list[str] = []
    while words:
        word = words[0]
        if word == "--":
            if stop_at_word:
                raise _NotPlainError
            rest += words[1:]
            words.clear()
        elif word.startswith("-") and word != "-":
            _read_option(words, known, given)
        elif stop_at_word:
            break
        else:
            rest.append(words.pop(0))
    return rest


def _read_option(words: list[str], known: Mapping[str, Parameter], given: dict[str, Any]) -> None:
    name, equals, value = words.pop(0).partition("=")
    parameter = known.get(name)
    if parameter is None or not name.startswith("--"):
        raise _NotPlainError
    if parameter.kind is Kind.FLAG:
        if equals:
            raise _NotPlainError
        given[parameter.dest] = name in parameter.names
        return
    if not equals:
        if not words:
            raise _NotPlainError
        value = words.pop(0)
    if parameter.multiple:
        given.setdefault(parameter.dest, []).append(value)
    else:
        given[parameter.dest] = value


def _converted(command: Command, given: dict[str, Any], rest: list[str], kept: dict[str, Any]) -> Parsed:
    """Turn the texts into values; standard input is read last, when nothing else can go wrong."""
    for parameter in command.parameters:
        if parameter.kind is Kind.ARGUMENT and rest:
            given[parameter.dest] = rest.pop(0)
        if parameter.required and parameter.dest not in given:
            raise _NotPlainError
    if rest:
        raise _NotPlainError
    kept = {parameter.dest: _value(parameter, kept) for parameter in shared_parameters() if parameter.dest in kept}
    parameters: dict[str, Any] = {}
    for parameter in sorted(command.parameters, key=lambda parameter: parameter.type.reads_input):
        if parameter.kept:
            if parameter.dest in given:
                kept[parameter.dest] = _value(parameter, given)
        else:
            parameters[parameter.dest] = _value(parameter, given)
    return Parsed(command, parameters, kept)


def _value(parameter: Parameter, given: Mapping[str, Any]) -> Any:
    if parameter.dest not in given:
        return parameter.absent
    text = given[parameter.dest]
    if parameter.kind is Kind.FLAG:
        return text
    if parameter.multiple:
        return tuple(parameter.type.convert(one) for one in text)
    return parameter.type.convert(text)
