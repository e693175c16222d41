"""A project that imports: what the documents say, and what became of each record."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from loopx.store.recount import miscounts
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.cli import Loopx


def start(loopx: Loopx) -> Loopx:
    """A goal with two agents."""
    loopx.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann", "--agent", "bob")
    return loopx


def put(lab: Loopx, name: str, data: bytes | str) -> None:
    """Write a file of the project."""
    path = lab.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def take(lab: Loopx, kind: str, name: str, *more: str) -> dict[str, Any]:
    """Import a file or folder."""
    return lab.ok("import", "--from", kind, name, *more)


def counts(document: dict[str, Any]) -> dict[str, int]:
    """The counts that say something."""
    return {name: count for name, count in document["counts"].items() if count and name != "items"}


def todos(lab: Loopx) -> dict[str, dict[str, Any]]:
    """Every whole todo by its first line."""
    listed = lab.ok("todo", "list", "--full", "--limit", "200")["todos"]
    return {todo["text"].split("\n")[0]: todo for todo in listed}


def todo_id(lab: Loopx, name: str) -> str:
    """The id of the todo with that first line."""
    return str(todos(lab)[name]["todo_id"])


def kept(document: dict[str, Any]) -> list[str]:
    """Why what is here counts, for each record that was kept."""
    return [row["reason_code"] for row in document["kept"]]


def noted(document: dict[str, Any]) -> list[str]:
    """The reasons of the notes."""
    return [row["reason_code"] for row in document["notes"]]


def assert_sound(lab: Loopx) -> None:
    """The history gives the tables, and every kept count is right."""
    with closing(sqlite3.connect(lab.root / ".loopx" / "loopx.db")) as db:
        assert drifts(replay(past_events(db)), table_state(db)) == []
        assert miscounts(db) == []
