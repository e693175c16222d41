"""What a file is that was given as something else, so that a refusal can say which reader to use instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.json_text import Flaw, JsonReader
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.core.foreign.record import SourceFile

_HEAD_BYTES = 65_536  # of a file that is no JSON document; its first record is in there
_KEYS_SHOWN = 6
_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\] ", re.MULTILINE)


class Found(Value):
    """A file's contents in words, and the `--from` that reads it, where there is one."""

    words: str
    kind: str | None = None
    is_json: bool = False  # one value over all its lines


class Wanted(Value):
    """What a reader looks for: in words, and its own `--from`."""

    words: str
    kind: str


def nothing_found(files: Sequence[SourceFile], wanted: Wanted) -> ImportInvalidError:
    """The refusal of files in which a reader found nothing of its own."""
    found = what_it_is(files[0].data) if files else Found("no file of this format")
    where = files[0].path if files else "the folder"
    other = found.kind if found.kind not in (None, wanted.kind) else None
    return ImportInvalidError(
        f"{where} holds no {wanted.words}; found: {found.words}",
        hint=f"Read it with --from {other}." if other else f"Name a file or folder that holds {wanted.words}.",
        found=found.words,
    )


def is_of_another(data: bytes, wanted: Wanted) -> bool:
    """Whether another reader would take it."""
    return what_it_is(data).kind not in (None, wanted.kind)


def what_it_is(data: bytes) -> Found:
    """A guess from the contents alone."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    value = JsonReader().read(text)
    if isinstance(value, dict):
        return _of_object(value)._replace(is_json="\n" in text.strip())
    if isinstance(value, list):
        return _of_array(value)._replace(is_json=True)
    head = text[:_HEAD_BYTES]
    first = JsonReader().read(next((line for line in head.split("\n") if line.strip()), ""))
    if isinstance(first, dict):
        return _of_line(first)
    if head.startswith("---") and isinstance(value, Flaw):
        return Found("Markdown with front matter, as a folder of Backlog.md has", "backlog")
    if _BOX.search(head):
        return Found("a Markdown checklist", "checklist")
    return Found("text that is neither JSON nor a checklist" if isinstance(value, Flaw) else "a single JSON value")


def _of_object(value: Mapping[str, object]) -> Found:
    if _is_taskmaster(value):
        return Found("one JSON object with tasks, as Taskmaster writes", "taskmaster")
    if isinstance(value.get("goals"), list) and "schema_version" in value:
        return Found("a LoopX registry", "loopx-legacy")
    if "number" in value and "title" in value:
        return Found("one issue, as GitHub writes", "github")
    found = _of_line(value)
    return found if found.kind else Found(f"one JSON object with the keys {_keys(value)}")


def _is_taskmaster(value: Mapping[str, object]) -> bool:
    """Tasks at the top, or under every tag."""
    tags = [tag for tag in value.values() if isinstance(tag, dict)]
    return isinstance(value.get("tasks"), list) or any(isinstance(tag.get("tasks"), list) for tag in tags)


def _of_array(value: Sequence[object]) -> Found:
    first = next((row for row in value if isinstance(row, dict)), None)
    if first is None:
        return Found("a JSON array without an object")
    if "number" in first and "title" in first:
        return Found("a JSON array of issues, as GitHub writes", "github")
    return Found(f"a JSON array of objects with the keys {_keys(first)}")


def _of_line(value: Mapping[str, object]) -> Found:
    if "id" in value and ("issue_type" in value or "priority" in value or value.get("_type") == "issue"):
        return Found("JSON objects, one a line, as beads writes", "beads")
    if value.get("format") == "loopx-export":
        return Found("JSON objects, one a line, as `loopx export` writes", "loopx")
    if "subject" in value and "blockedBy" in value:
        return Found("a task of Claude Code", "claude")
    return Found(f"JSON objects, one a line, with the keys {_keys(value)}")


def _keys(value: Mapping[str, object]) -> str:
    more = ", …" if len(value) > _KEYS_SHOWN else ""
    return ", ".join(key[:40] for key in list(value)[:_KEYS_SHOWN]) + more if value else "(none)"
