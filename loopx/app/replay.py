"""`replay`: the todos as they were after any event, rebuilt from the history alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.page import Page, page_keys
from loopx.contracts.record import todo_of
from loopx.contracts.todo_document import brief_todo, full_todo
from loopx.core.errors import UsageError
from loopx.core.instant import format_instant, parse_instant
from loopx.core.todo import Closure
from loopx.store.derived import is_met
from loopx.store.events import instant_of, last_sequence, last_sequence_at
from loopx.store.replay import TODOS, past_events, replay

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.contracts.record import Record
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.connection import Connection

REPLAY_SCHEMA = "replay_v1"


def replay_at(project: Project, at: str, page: Page, *, goal_id: str | None = None, full: bool = False) -> Document:
    """The todos after event number `at`, or after the last event not later than the time `at`.

    UsageError for what is neither, and for a number beyond the history. GoalNotFoundError.
    """

    def query(snapshot: Snapshot) -> Document:
        sequence = _sequence(snapshot.db, at, snapshot.now)
        moment = instant_of(snapshot.db, sequence)
        wanted = snapshot.registry.goal(goal_id).goal_id if goal_id is not None else None
        todos = [todo for todo in _todos(snapshot.db, sequence) if wanted in (None, todo.goal_id)]
        rest = [todo for todo in todos if todo.sequence > page.after]
        shown = rest[: page.limit]
        return {
            "schema_version": REPLAY_SCHEMA,
            "ok": True,
            "at_sequence": sequence,
            "at": format_instant(moment) if moment is not None else None,
            "todos": [_shown(snapshot, todo, moment or 0, full=full) for todo in shown],
            "total": len(todos),
            **page_keys([todo.sequence for todo in rest], len(rest), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


def _sequence(db: Connection, at: str, now: Instant) -> int:
    if not at.isdecimal():
        return last_sequence_at(db, parse_instant(at, now=now))
    last = last_sequence(db)
    if not at.isascii() or len(at) > len(str(last)) or int(at) > last:
        raise UsageError(f"the history ends at event {last}", hint="--at takes an event's number, or a time.")
    return int(at)


def _todos(db: Connection, sequence: int) -> list[Todo]:
    records = replay(past_events(db, until=sequence))[TODOS]
    predecessors: dict[str, list[str]] = {}
    for todo_id, record in records.items():
        for successor in record["successors"]:
            predecessors.setdefault(successor, []).append(todo_id)
    todos = [_todo(record, records, tuple(predecessors.get(todo_id, ()))) for todo_id, record in records.items()]
    return sorted(todos, key=lambda todo: todo.sequence)


def _todo(record: Record, records: dict[str, Record], predecessors: tuple[str, ...]) -> Todo:
    """The record with what follows from the others at that time."""
    closures = [records[other]["closure"] for other in record["blocked_by"]]
    unmet = sum(closure is None or not is_met(Closure(closure)) for closure in closures)
    broken = sum(closure in (Closure.FAILED, Closure.SUPERSEDED) for closure in closures)
    return todo_of(record, unmet=unmet, broken=broken, predecessors=predecessors)


def _shown(snapshot: Snapshot, todo: Todo, moment: Instant, *, full: bool) -> Document:
    if not full:
        return brief_todo(todo)
    goal = snapshot.registry.find(todo.goal_id)
    agents = [agent.agent_id for agent in goal.active_agents] if goal else []
    return full_todo(todo, now=moment, active_agents=agents)
