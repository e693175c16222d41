"""`loopx.1`: the manual page, written from the same declarations as the reference.

It is part of the wheel as shared data, so that `man loopx` works where the prefix is on the manual path.
"""

from __future__ import annotations

import click

from loopx import __version__
from loopx.contracts.error_catalog import ERROR_CATALOG
from tools.gen_reference import Entry, common_options, entries

_NOTICE = '.\\" Written by `make reference`; change the code, not this page.'
_DESCRIPTION = (
    "loopx keeps what several agents on one goal must share between their turns: the work graph, who is on what,"
    " what a person must decide, what is proven, and what may run now. Agents call it and read JSON; people read"
    " the same state as text and answer the gates."
)
_EXIT_CODES = (
    ("0", "success"),
    ("1", "a bug of loopx"),
    ("2", "the call is wrong"),
    ("3", "refused by a rule"),
    ("4", "in conflict with another actor or version"),
    ("5", "busy; try again"),
    ("6", "storage"),
    ("7", "not found"),
    ("10", "should-run --exit-code, or setup --check, says no"),
    ("130, 143", "ended by a signal"),
    ("141", "the reader of the output went away"),
)
_VARIABLES = (
    ("LOOPX_PROJECT", "The project folder, like --project."),
    ("LOOPX_FORMAT", "text or json, like --format."),
    ("LOOPX_AGENT_ID", "Who acts, like --agent-id."),
    ("LOOPX_IDENTITY", "fixed: no option may name another actor."),
    ("LOOPX_ROLE", "lead, subagent or teammate; a teammate does not shape the graph."),
)


def man_page(root: click.Command) -> str:
    """The page in the language of man(7)."""
    listed = list(entries(root))
    everywhere = common_options(listed)
    lines = [
        _NOTICE,
        f'.TH LOOPX 1 "" "loopx {_escaped(__version__)}" "User Commands"',
        ".SH NAME",
        "loopx \\- a control plane for long\\-running agents",
        ".SH SYNOPSIS",
        ".B loopx",
        ".I COMMAND",
        "[\\fIOPTION\\fR ...]",
        ".SH DESCRIPTION",
        _escaped(_DESCRIPTION),
        ".SH OPTIONS OF EVERY COMMAND",
        *_options(everywhere),
        ".SH COMMANDS",
    ]
    for entry in listed:
        lines += _command(entry, everywhere)
    lines += [".SH EXIT STATUS", *_options(_EXIT_CODES), ".SH ENVIRONMENT", *_options(_VARIABLES)]
    lines += [".SH ERRORS", _escaped(f"In JSON mode error.code is one of: {', '.join(sorted(ERROR_CATALOG))}.")]
    return "\n".join(lines) + "\n"


def _command(entry: Entry, everywhere: list[tuple[str, str]]) -> list[str]:
    own = [record for record in entry.options if record not in everywhere]
    lines = [f'.SS "{_escaped(entry.usage)}"', _escaped(_first_paragraph(entry.help))]
    if entry.example:
        lines += [".PP", "Example:", ".PP", ".nf", ".RS 4", _escaped(entry.example), ".RE", ".fi"]
    return [*lines, *_options(own)]


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _options(records: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> list[str]:
    return [
        line for name, text in records for line in (".TP", f".B {_escaped(name)}", _escaped(" ".join(text.split())))
    ]


def _escaped(text: str) -> str:
    """The text as roff reads it: no escape, no hyphen that is typeset, no line that is a request."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
