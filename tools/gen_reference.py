"""Write the pages of docs/reference that are read off the code; `--check` fails where they are stale."""

from __future__ import annotations

import inspect
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from loopx.cli.clickside import click_tree
from loopx.cli.root import ROOT
from loopx.contracts.error_catalog import ERROR_CATALOG
from loopx.core.errors import LoopxError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
_NOTICE = "<!-- Written by `make reference`; change the code, not this page. -->\n"
_ERRORS_OPENING = """\
In JSON mode an error is one document of [`error_v1`](schemas.md#error_v1); scripts
branch on `error.code`, a closed set. The exit code tells the kind. Exit 0 is success, 10 a
`should-run --exit-code` or `setup --check` that says no, 130 and 143 signals, 141 a closed pipe.
"""
_KINDS = {
    1: "A bug (exit 1)",
    2: "The call is wrong (exit 2)",
    3: "Refused by a rule (exit 3)",
    4: "In conflict with another actor or version (exit 4)",
    5: "Busy, try again (exit 5)",
    6: "Storage (exit 6)",
    7: "Not found (exit 7)",
}


class Entry(NamedTuple):
    """One command: its full name, what it says of itself, and its options as (spelling, meaning)."""

    name: str
    help: str
    example: str
    usage: str
    options: list[tuple[str, str]]


# --- commands ----------------------------------------------------------------------------


def entries(command: click.Command, parent: click.Context | None = None) -> Iterator[Entry]:
    """Every command that runs something, in the order of the tree."""
    context = click.Context(command, info_name=command.name if parent else "loopx", parent=parent)
    if not isinstance(command, click.Group):
        yield _entry(command, context)
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        if child is not None and not child.hidden:
            yield from entries(child, context)


def _entry(command: click.Command, context: click.Context) -> Entry:
    records = [
        record
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context))
    ]
    arguments = [part for part in command.collect_usage_pieces(context) if part != "[OPTIONS]"]
    usage = " ".join([context.command_path, "[OPTIONS]", *arguments])
    return Entry(context.command_path, command.help or "", _example(command), usage, records)


def _example(command: click.Command) -> str:
    return (command.epilog or "").removeprefix("Example: ")


def commands_page(root: click.Command) -> str:
    listed = list(entries(root))
    everywhere = common_options(listed)
    parts = [
        "# Commands\n",
        _NOTICE,
        "Exit codes and error codes are on their [own page](errors.md).\n",
        "## Options of every command\n",
        _table(everywhere),
    ]
    for entry in listed:
        own = [record for record in entry.options if record not in everywhere]
        shown = f"{entry.usage}\n\n{entry.example}" if entry.example else entry.usage
        parts += [f"## {entry.name}\n", _prose(entry.help), f"```text\n{shown}\n```\n"]
        parts += [_table(own)] if own else []
    return "\n".join(parts)


def common_options(listed: list[Entry]) -> list[tuple[str, str]]:
    """The options that every command takes."""
    shared = set.intersection(*(set(entry.options) for entry in listed))
    return [record for record in listed[0].options if record in shared]


def _table(records: list[tuple[str, str]]) -> str:
    rows = [f"| `{_cell(spelling)}` | {_cell(text)} |" for spelling, text in records]
    return "\n".join(["| option | meaning |", "| --- | --- |", *rows, ""])


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _prose(text: str) -> str:
    """The help of a command as Markdown; a block that click must not rewrap (`\\b`) is shown as typed."""
    blocks = inspect.cleandoc(text.partition("\f")[0]).split("\n\n")
    return "\n".join(_block(block) for block in blocks)


def _block(block: str) -> str:
    if block.startswith("\b\n"):
        return f"```text\n{inspect.cleandoc(block[2:])}\n```\n"
    return f"{block}\n"


# --- errors ------------------------------------------------------------------------------


def error_kinds(base: type[LoopxError] = LoopxError) -> Iterator[type[LoopxError]]:
    """The errors that a caller can meet: every leaf, and `internal` for what is no error of ours."""
    if base in (LoopxError, UsageError) or not base.__subclasses__():
        yield base
    for kind in base.__subclasses__():
        yield from error_kinds(kind)


def errors_page() -> str:
    kinds = sorted(set(error_kinds()), key=lambda kind: (kind.exit_code, kind.code))
    parts = [
        "# Errors\n",
        _NOTICE,
        _ERRORS_OPENING,
    ]
    for exit_code, group in groupby(kinds, key=lambda kind: kind.exit_code):
        parts += [f"## {_KINDS[exit_code]}\n", "| code | cause | mend |", "| --- | --- | --- |"]
        parts += [_error_row(kind.code) for kind in group]
        parts.append("")
    return "\n".join(parts)


def _error_row(code: str) -> str:
    row = ERROR_CATALOG[code]
    return f"| `{code}` | {_cell(row.cause)} | {_cell(row.mend)} |"


# --- pages -------------------------------------------------------------------------------


def pages() -> dict[Path, str]:
    from tools.gen_documents import MODULE, documents_module
    from tools.gen_man import man_page

    return {
        REFERENCE / "loopx.1": man_page(click_tree(ROOT)),
        MODULE: documents_module(),
        **_markdown_pages(),
    }


def _markdown_pages() -> dict[Path, str]:
    from tools.gen_schemas import schemas_page

    return {
        REFERENCE / "commands.md": commands_page(click_tree(ROOT)),
        REFERENCE / "errors.md": errors_page(),
        REFERENCE / "schemas.md": schemas_page(_NOTICE),
    }


def stale(pages: dict[Path, str]) -> list[Path]:
    return [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def main(argv: list[str]) -> int:
    written = pages()
    old = stale(written)
    if "--check" in argv:
        for path in old:
            print(f"{path.relative_to(REFERENCE.parents[1])} is stale: run `make reference`")
        return 1 if old else 0
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
