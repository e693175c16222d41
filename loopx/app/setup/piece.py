"""What setup keeps in one file: a block of lines or an entry, as bytes in and bytes out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.app.setup.block import MARKDOWN, TOML, Style, find_block, put_block, take_block
from loopx.app.setup.entry import Entry, find_entry, put_entry, take_entry
from loopx.app.setup.text import block_body, hook_value, rule_head, server_table, server_value
from loopx.core.errors import SetupImpossibleError
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.setup.mark import Mark, Wish

_BOM = b"\xef\xbb\xbf"


class Piece(Value):
    """One piece: where it belongs, and how it is found, put in and taken out.

    `put(data, wish, made)` also takes None for a file that is not there. `seed` is what a file of its own begins
    with: with that alone left, the file goes with the piece.
    """

    path: str
    mark: Callable[[bytes], Mark | None]
    put: Callable[[bytes, Wish, int], bytes]
    take: Callable[[bytes], bytes]
    seed: bytes = b""
    is_server: bool = False


def markdown_piece(path: str, seed: str = "") -> Piece:
    """The block of instructions in a Markdown file."""
    return _block_piece(path, MARKDOWN, block_body, seed=seed.encode())


def rule_piece(path: str) -> Piece:
    """The same as a rule file of its own."""
    return markdown_piece(path, rule_head())


def toml_server_piece(path: str) -> Piece:
    """The MCP server as a marked table at the end of a TOML file."""
    piece = _block_piece(path, TOML, server_table, is_server=True)
    return piece._replace(put=lambda data, wish, made: _proved_toml(data, piece.put(data, wish, made)))


def hook_piece(path: str) -> Piece:
    """The session hook in a JSON file of settings."""
    return _entry_piece(path, Entry(("hooks", "SessionStart"), is_listed=True, value=hook_value, is_like=_starts_loopx))


def json_server_piece(path: str) -> Piece:
    """The MCP server in a JSON file of servers."""
    entry = Entry(("mcpServers", "loopx"), is_listed=False, value=server_value, is_like=lambda _: True)
    return _entry_piece(path, entry)._replace(is_server=True)


def _starts_loopx(value: Any) -> bool:
    return "loopx prime" in json.dumps(value)


def _block_piece(
    path: str, style: Style, body: Callable[[Mark], str], *, seed: bytes = b"", is_server: bool = False
) -> Piece:
    def mark(data: bytes) -> Mark | None:
        found = find_block(data, style)
        return found.mark if found else None

    return Piece(
        path,
        mark,
        lambda data, wish, made: put_block(data, style, body, wish, made),
        lambda data: take_block(data, style),
        seed,
        is_server,
    )


def _entry_piece(path: str, entry: Entry) -> Piece:
    def mark(data: bytes) -> Mark | None:
        found = find_entry(_text(data)[1], entry)
        return found.mark if found else None

    def put(data: bytes, wish: Wish, made: int) -> bytes:
        bom, text = _text(data)
        return bom + put_entry(text, entry, wish, made).encode()

    def take(data: bytes) -> bytes:
        bom, text = _text(data)
        return bom + take_entry(text, entry).encode()

    return Piece(path, mark, put, take, b"{\n}\n")


def _text(data: bytes) -> tuple[bytes, str]:
    """The byte order mark, if there is one, and the text behind it."""
    bom = _BOM if data.startswith(_BOM) else b""
    try:
        return bom, data[len(bom) :].decode("utf-8")
    except UnicodeDecodeError as exc:
        raise SetupImpossibleError(
            f"the file is not UTF-8 (byte {exc.start})", hint="Store it as UTF-8 first."
        ) from exc


def _proved_toml(before: bytes, after: bytes) -> bytes:
    """The new file, if it reads as the old one with our table."""
    import tomllib

    own = _toml(before).get("mcp_servers", {}).get("loopx") if find_block(before, TOML) is None else None
    if own is not None:
        raise SetupImpossibleError(
            "a table [mcp_servers.loopx] is there that setup did not write",
            hint="Keep it as it is, or take it out and run setup again.",
        )
    wanted = _toml(before)
    try:
        written = tomllib.loads(after.decode("utf-8"))
    except ValueError as exc:
        raise SetupImpossibleError("the file cannot be edited safely", hint="Add the table by hand.") from exc
    wanted.setdefault("mcp_servers", {})["loopx"] = written.get("mcp_servers", {}).get("loopx")
    if written != wanted or not wanted["mcp_servers"]["loopx"]:
        raise SetupImpossibleError("the file cannot be edited safely", hint="Add the table by hand.")
    return after


def _toml(data: bytes) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_text(data)[1])
    except ValueError as exc:
        raise SetupImpossibleError(f"the file is no valid TOML ({exc})", hint="Mend it first.") from exc
