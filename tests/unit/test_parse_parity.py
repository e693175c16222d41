"""One declaration, two parsers: what the plain one accepts, click reads in the same way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.cli.clickside import parse_with_click
from loopx.cli.declare import Command, Group, Kind, Parameter
from loopx.cli.parse import Parsed, load_member, parse
from loopx.cli.root import ROOT
from loopx.core.errors import LoopxError, UsageError

SAMPLES = {"DUR": "15m", "N": "7", "AMOUNT": "1.5", "TEXT": "some words"}


def commands(group: Group = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    for name in group.members:
        member = load_member(group, name)
        assert member is not None
        if isinstance(member, Group):
            yield from commands(member, (*path, name))
        else:
            yield (*path, name), member


COMMANDS = dict(commands())
OPTIONS = [
    pytest.param(path, parameter, name, id=f"{' '.join(path)} {name or parameter.dest}")
    for path, command in COMMANDS.items()
    for parameter in command.parameters
    for name in (*parameter.names, *parameter.off_names) or ("",)
]


def sample(parameter: Parameter) -> str:
    return parameter.type.choices[-1] if parameter.type.choices else SAMPLES[parameter.type.name]


def spelt(parameter: Parameter, name: str) -> list[str]:
    if parameter.kind is Kind.ARGUMENT:
        return [sample(parameter)]
    return [name] if parameter.kind is Kind.FLAG else [name, sample(parameter)]


def needed(command: Command, but: Parameter | None = None) -> list[str]:
    return [
        word
        for parameter in command.parameters
        if parameter.required and parameter is not but
        for word in spelt(parameter, (parameter.names or ("",))[0])
    ]


def both(argv: list[str]) -> tuple[Parsed | None, Parsed | int]:
    return parse(ROOT, argv), parse_with_click(ROOT, argv)


@pytest.mark.parametrize(("path", "parameter", "name"), OPTIONS)
def test_every_option_of_every_command_reads_the_same(path: tuple[str, ...], parameter: Parameter, name: str) -> None:
    argv = [*path, *needed(COMMANDS[path], parameter), *spelt(parameter, name)]
    plain, clicked = both(argv)
    assert plain is not None, "a plain call must not need click"
    assert isinstance(clicked, Parsed)
    assert (plain.parameters, plain.kept) == (clicked.parameters, clicked.kept)
    assert {k: type(v) for k, v in plain.parameters.items()} == {k: type(v) for k, v in clicked.parameters.items()}


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_what_is_absent_has_the_same_default(path: tuple[str, ...]) -> None:
    plain, clicked = both([*path, *needed(COMMANDS[path])])
    assert plain is not None
    assert isinstance(clicked, Parsed)
    assert (plain.parameters, plain.kept) == (clicked.parameters, clicked.kept)


@pytest.mark.parametrize(
    "argv",
    [
        ["--format=json", "--project", "p", "todo", "--goal-id", "g", "list", "--limit=3"],
        ["--agent-id", "a", "todo", "--agent-id", "b", "release", "x", "--agent-id", "c"],
        ["todo", "add", "--text", "--leading", "--text", "-", "--text=--x=y"],
        ["todo", "add", "--blocked-by", "a", "--blocked-by=b", "--text="],
        ["todo", "show", "--", "--odd"],
        ["todo", "show", "-"],
        ["todo", "complete", "x", "--evidence", "-leading", "--no-follow-up", "--no-follow-up"],
        ["gate", "answer", "x", "--decision", "reject", "--standing", "--note", "$1 {0} %s"],
    ],
    ids=" ".join,
)
def test_spellings_that_are_easy_to_get_wrong(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopx.cli.typed.read_stdin", lambda: "from standard input")
    plain, clicked = both(argv)
    assert plain is not None
    assert isinstance(clicked, Parsed)
    assert (plain.parameters, plain.kept) == (clicked.parameters, clicked.kept)


WORDS = st.sampled_from(
    [
        "todo", "add", "claim", "show", "list", "gate", "answer", "--text", "--text=x", "--format", "json", "--goal-id",
        "--priority", "P1", "--limit", "3", "--limit=x", "--ttl", "1h", "--ttl=0s", "--status", "open", "opn", "--help",
        "-h", "--", "-", "--no-follow-up", "--global-gate", "--no-global-gate", "--role", "agent", "id", "--x", "-x",
        "",
    ]
)  # fmt: skip


@settings(max_examples=600)
@given(st.lists(WORDS, max_size=8))
def test_the_plain_parser_never_reads_what_click_reads_differently(argv: list[str]) -> None:
    try:
        plain = parse(ROOT, argv)
    except LoopxError as error:
        with pytest.raises(type(error)):
            parse_with_click(ROOT, argv)
        return
    if plain is not None:
        clicked = parse_with_click(ROOT, argv)
        assert isinstance(clicked, Parsed)
        assert (plain.parameters, plain.kept) == (clicked.parameters, clicked.kept)


def test_a_misspelt_command_is_left_to_click_which_names_the_nearest() -> None:
    assert parse(ROOT, ["todo", "clam"]) is None
    with pytest.raises(UsageError, match="clam") as refusal:
        parse_with_click(ROOT, ["todo", "clam"])
    assert "claim" in (refusal.value.hint or "")
