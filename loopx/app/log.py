"""`log`: what happened, by whom, why, and every value before and after."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from loopx.app.page import Page, page_keys
from loopx.core.instant import format_instant, parse_instant
from loopx.core.text import BRIEF_BYTES, cut
from loopx.core.value import Value
from loopx.store.events import COLUMNS, select_events
from loopx.store.glance import Act, recent_acts, texts_of
from loopx.store.query import Filter, total_of
from loopx.store.todos import resolve_todo_id

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot

LOG_SCHEMA = "log_v1"
_ROWS = 20  # shown of what one event changed


class LogFilter(Value):
    """What the log is narrowed to."""

    goal_id: str | None = None
    todo_id: str | None = None
    since: str | None = None
    action: str | None = None


def read_log(project: Project, wanted: LogFilter, page: Page) -> Document:
    """Events in order; claim tokens are left out. TodoNotFoundError, UsageError."""

    def query(snapshot: Snapshot) -> Document:
        chosen = _filter(snapshot, wanted)
        total = total_of(snapshot.db, "events", chosen)
        chosen.add("sequence > ?", page.after)
        where = f"{chosen.where} ORDER BY sequence LIMIT ?"
        rows = select_events(snapshot.db, where, [*chosen.values, page.limit + 1])
        return {
            "schema_version": LOG_SCHEMA,
            "ok": True,
            "events": [event_document(row) for row in rows[: page.limit]],
            "total": total,
            **page_keys([row[0] for row in rows], len(rows), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


class Recent(Value):
    """The newest events before some event, newest first, and before which one the next older ones lie.

    What they changed is left out: one event may have changed ten thousand todos. `texts` has the beginning of
    each todo's text that the events name, by id.
    """

    events: tuple[Document, ...]
    older: int | None
    texts: dict[str, str]


def read_recent(project: Project, wanted: LogFilter, *, limit: int, before: int | None = None) -> Recent:
    """At most `limit` events, newest first; TodoNotFoundError, UsageError."""

    def query(snapshot: Snapshot) -> Recent:
        chosen = _filter(snapshot, wanted)
        chosen.add_if("sequence < ?", before)
        where = f"{chosen.where} ORDER BY sequence DESC LIMIT ?"
        acts = recent_acts(snapshot.db, where, [*chosen.values, limit + 1])
        older = acts[limit - 1].sequence if len(acts) > limit else None
        events = tuple(_act_document(act) for act in acts[:limit])
        named = {event["todo_id"] for event in events if event["todo_id"] is not None}
        texts = {todo_id: cut(text, BRIEF_BYTES)[0] for todo_id, text in texts_of(snapshot.db, named)}
        return Recent(events, older, texts)

    return project.read(query)


def _act_document(act: Act) -> Document:
    return {**dict(zip(Act._fields, act, strict=True)), "at": format_instant(act.at)}


def _filter(snapshot: Snapshot, wanted: LogFilter) -> Filter:
    chosen = Filter()
    if wanted.goal_id is not None:
        chosen.add("goal_id = ?", snapshot.registry.goal(wanted.goal_id).goal_id)
    if wanted.todo_id is not None:
        chosen.add("todo_id = ?", resolve_todo_id(snapshot.db, wanted.todo_id))
    if wanted.since is not None:
        chosen.add("at >= ?", parse_instant(wanted.since, now=snapshot.now))
    chosen.add_if("action = ?", wanted.action)
    return chosen


def event_document(row: tuple[Any, ...]) -> Document:
    """One event on the wire; of an event that changed many rows, such as an import, the first ones."""
    names = [name.strip() for name in COLUMNS.split(",")]
    event = dict(zip(names, row, strict=True))
    event["at"] = format_instant(event["at"])
    changes = _without_tokens(json.loads(event["changes"]))
    event["changes"] = _first_rows(changes)
    event["changes_total"] = sum(len(rows) for rows in changes.values())
    event["receipt"] = json.loads(event["receipt"])
    return event


def _without_tokens(changes: dict[str, Any]) -> dict[str, Any]:
    """A token lets its holder finish the work, so only the claim's own answer shows it."""
    shown = {table: rows for table, rows in changes.items() if table != "claim_tokens"}
    for row in shown.get("todos", {}).values():
        row.pop("claim_token", None)
    return shown


def _first_rows(changes: dict[str, Any]) -> dict[str, Any]:
    rows = ((table, key, row) for table, keyed in changes.items() for key, row in keyed.items())
    first: dict[str, Any] = {}
    for table, key, row in islice(rows, _ROWS):
        first.setdefault(table, {})[key] = row
    return first
