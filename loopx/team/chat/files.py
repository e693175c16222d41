"""`read_file` and `write_file`: text of the workspace, in bounded pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.toolset.schema import strict_object, text_of
from loopx.app.toolset.tool import Tool
from loopx.core.errors import FileInvalidError
from loopx.settings import ROLES
from loopx.team.chat.folder import LONGEST_PATH, WRITE_BYTES, Folder

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.toolset.tool import Arguments, ToolContext

SHOWN_BYTES = 48_000  # of one answer; the model asks for the next lines
MOST_LINES = 2_000


def _read(context: ToolContext, arguments: Arguments) -> Document:
    """Lines of a text file, and how to go on where there are more."""
    path = arguments["path"]
    lines = _text(Folder(context.folder or ".").read(path), path).splitlines(keepends=True)
    first = arguments.get("first_line", 1)
    shown = _bounded(lines[first - 1 : first - 1 + arguments.get("lines", MOST_LINES)])
    after = first + len(shown)
    return {
        "path": path,
        "text": "".join(shown),
        "first_line": first,
        "total_lines": len(lines),
        "next_line": after if shown and after <= len(lines) else None,
    }


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise FileInvalidError(f"{path} is no UTF-8 text", hint="Look at it with the shell.", path=path) from exc


def _bounded(lines: list[str]) -> list[str]:
    """As many of the lines as fit an answer; of a first one that is longer than that, its start."""
    size = 0
    for at, line in enumerate(lines):
        size += len(line.encode("utf-8"))
        if size > SHOWN_BYTES:
            return lines[:at] or [line.encode("utf-8")[:SHOWN_BYTES].decode("utf-8", "ignore") + "…"]
    return lines


def _write(context: ToolContext, arguments: Arguments) -> Document:
    """The whole text of a file, new or in place of the old one."""
    try:
        data = arguments["text"].encode("utf-8")
    except UnicodeEncodeError as exc:
        raise FileInvalidError("the text holds a lone surrogate", hint="Send the text as valid UTF-8.") from exc
    created = Folder(context.folder or ".").write(arguments["path"], data)
    return {"path": arguments["path"], "bytes": len(data), "created": created}


_PATH = text_of("Relative to the workspace.", LONGEST_PATH)
READ_FILE = Tool(
    "read_file",
    "Read a text file of the workspace.",
    strict_object(
        {
            "path": _PATH,
            "first_line": {"type": "integer", "minimum": 1},
            "lines": {"type": "integer", "minimum": 1, "maximum": MOST_LINES},
        },
        ("path",),
    ),
    ROLES,
    _read,
)
WRITE_FILE = Tool(
    "write_file",
    "Write the whole text of a file of the workspace, with the folders above it.",
    strict_object({"path": _PATH, "text": {"type": "string", "maxLength": WRITE_BYTES}}, ("path", "text")),
    ROLES,
    _write,
    writes=True,
    starts_work=True,
)
FILE_TOOLS = (READ_FILE, WRITE_FILE)
