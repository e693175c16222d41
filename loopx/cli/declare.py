"""How a command declares its options: once, in values that two parsers read.

`parse` reads the plain case without click, which takes longer to import than a whole call; `clickside`
builds click commands of the same declarations for help, completion and every refusal of a wrong call.
A test holds the two against each other over every option (docs/decisions/0004-one-declaration.md).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from loopx.core.instant import parse_duration
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

F = TypeVar("F", bound="Callable[..., Any]")

_DECLARED = "__parameters__"


class BadValueError(Exception):
    """A value that its type does not take; the message ends a sentence that names the option."""


class ValueType:
    """What an option's text becomes. `name` is shown in the help; BadValueError for a wrong text."""

    name = "TEXT"
    reads_input = False

    def convert(self, text: str) -> Any:
        """The value of the text."""
        return text

    @property
    def choices(self) -> tuple[str, ...]:
        """The closed set of texts, if it is one."""
        return ()


class DurationType(ValueType):
    """An integer with `ms|s|m|h|d`, delivered as microseconds."""

    name = "DUR"

    def convert(self, text: str) -> int:
        return parse_duration(text)


class NumberType(ValueType):
    """A whole number in a range."""

    name = "N"

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise BadValueError(f"{text!r} is not a whole number.") from None
        if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
            raise BadValueError(f"{text} is not in the range {self.least or 0} to {self.most or '…'}.")
        return number


class AmountType(ValueType):
    """A number of 0 or more, such as money or seconds."""

    name = "AMOUNT"

    def __init__(self, most: float = 2**53 - 1) -> None:  # every JSON reader keeps numbers up to here
        self.most = most

    def convert(self, text: str) -> float:
        try:
            amount = float(text)
        except ValueError:
            raise BadValueError(f"{text!r} is no amount.") from None
        if not 0 <= amount <= self.most:  # NaN is in no range
            raise BadValueError(f"{text!r} is out of range.")
        return amount


class TextType(ValueType):
    """A text, or `-` for standard input (of which one final line end is dropped)."""

    reads_input = True

    def convert(self, text: str) -> str:
        if text != "-":
            return text
        from loopx.cli.typed import read_stdin

        return read_stdin()


class ChoiceType(ValueType):
    """A closed set of names, delivered as its member; a misspelt one is refused with the nearest."""

    def __init__(self, members: Iterable[str]) -> None:
        self.members = {str(member): member for member in members}

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(self.members)

    def convert(self, text: str) -> Any:
        if text in self.members:
            return self.members[text]
        from loopx.core.name import near_match

        near = near_match(text, self.members)
        suggestion = f" Did you mean {near!r}?" if near else ""
        raise BadValueError(f"{text!r} is not one of {', '.join(self.members)}.{suggestion}")


WORD = ValueType()
TEXT = TextType()
DURATION = DurationType()
NUMBER = NumberType()
AMOUNT = AmountType()


class Kind(StrEnum):
    OPTION = "option"  # takes a value
    FLAG = "flag"  # takes none
    ARGUMENT = "argument"  # stands by itself


class Parameter(Value):
    """One option, flag or argument. `kept` ones belong to the whole call and not to the handler."""

    kind: Kind
    names: tuple[str, ...]
    dest: str
    type: ValueType = WORD
    multiple: bool = False
    required: bool = False
    default: Any = None
    metavar: str | None = None
    help: str = ""
    off_names: tuple[str, ...] = ()
    kept: bool = False

    @property
    def absent(self) -> Any:
        """The value where it is not given."""
        return () if self.multiple else self.default


class Command(Value):
    """A command: what it takes, and the function that answers."""

    name: str
    handler: Callable[..., dict[str, Any] | None]  # None: it has shown its answers by itself
    parameters: tuple[Parameter, ...]
    help: str
    example: str


class Group(Value):
    """A family of commands: `name: (module, one line of help)`; the module's `cli` is the member."""

    name: str
    help: str
    members: Mapping[str, tuple[str, str]]
    example: str


def option(
    *names: str,
    type: ValueType = WORD,  # noqa: A002 - the word that everybody knows for it
    multiple: bool = False,
    required: bool = False,
    default: Any = None,
    metavar: str | None = None,
    help: str = "",  # noqa: A002
    kept: bool = False,
) -> Callable[[F], F]:
    """An option with a value; a name without dashes is the parameter's, otherwise made from the first."""
    spelt = tuple(name for name in names if name.startswith("-"))
    return _declared(
        Parameter(
            kind=Kind.OPTION,
            names=spelt,
            dest=_dest(names),
            type=type,
            multiple=multiple,
            required=required,
            default=default,
            metavar=metavar,
            help=help,
            kept=kept,
        )
    )


def flag(*names: str, default: Any = False, help: str = "", kept: bool = False) -> Callable[[F], F]:  # noqa: A002
    """An option without a value: True where it is given; `--x/--no-x` also takes False."""
    on = tuple(name.split("/")[0] for name in names if name.startswith("-"))
    off = tuple(name.split("/")[1] for name in names if "/" in name)
    dest = _dest(tuple(name.split("/")[0] for name in names))
    return _declared(
        Parameter(kind=Kind.FLAG, names=on, dest=dest, default=default, help=help, off_names=off, kept=kept)
    )


def argument(
    dest: str,
    *,
    type: ValueType = WORD,  # noqa: A002
    required: bool = True,
    metavar: str | None = None,
) -> Callable[[F], F]:
    """A value that stands by itself."""
    return _declared(Parameter(kind=Kind.ARGUMENT, names=(), dest=dest, type=type, required=required, metavar=metavar))


def _dest(names: tuple[str, ...]) -> str:
    own = [name for name in names if not name.startswith("-")]
    return own[0] if own else names[0].lstrip("-").replace("-", "_")


def _declared(parameter: Parameter) -> Callable[[F], F]:
    def attach(function: F) -> F:
        function.__dict__.setdefault(_DECLARED, []).append(parameter)
        return function

    return attach


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """What the function's decorators declared, in the order in which they are written."""
    return tuple(reversed(function.__dict__.get(_DECLARED, [])))
