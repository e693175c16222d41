"""`todo stats`: how much there is, how it flows, what it waits for, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mark import NOBODY
from loopx.contracts.todo_document import priority_name
from loopx.core.decision.case import case_of
from loopx.core.decision.reason import ReasonCode
from loopx.core.decision.snapshot import Caller
from loopx.core.decision.waiting import Waiting, waiting_of
from loopx.core.errors import UsageError
from loopx.core.flow import DayCount, Spread, add_to_done, claim_to_done, per_day
from loopx.core.instant import DAY, LONGEST, SECOND, format_instant, parse_instant
from loopx.core.text import BRIEF_BYTES, cut
from loopx.core.todo import CLASSES_OF_ROLE, Closure, Role, TaskClass
from loopx.store.overview import class_counts, held_todos
from loopx.store.snapshot import load_snapshot
from loopx.store.stats import archived_count, endings_since, oldest_open, spends_since, tallies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.overview import Counts
    from loopx.store.stats import DaySpend, Tally

STATS_SCHEMA = "todo_stats_v1"
_DAYS = 14  # without --since: today and the thirteen days before it, in UTC
_OLDEST_SHOWN = 5
_AGENTS_SHOWN = 20
_STATES = ("open", "blocked", "deferred", "done", "failed", "superseded")


def read_stats(project: Project, goal_id: str | None, since: str | None) -> Document:
    """The figures of one goal as they are now; what flows is counted from `since` on.

    GoalNotFoundError; UsageError for a time that is no time, is still to come or is too long ago.
    """

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        start = _start(since, snapshot.now)
        return {
            "schema_version": STATS_SCHEMA,
            "ok": True,
            "goal_id": goal.goal_id,
            "at": format_instant(snapshot.now),
            "since": format_instant(start),
            **_standing(snapshot, goal),
            **_flow(snapshot, goal, start),
            **_spend(spends_since(snapshot.db, goal.goal_id, start)),
            "state": snapshot.state,
        }

    return project.read(query)


def _start(since: str | None, now: Instant) -> Instant:
    if since is None:
        return (now // DAY - _DAYS + 1) * DAY
    start = parse_instant(since, now=now)
    if not now - LONGEST <= start <= now:
        raise UsageError(
            f"{since!r} is not within the last {LONGEST // DAY} days",
            hint="Name a time that has passed, such as 2026-01-31T00:00:00Z.",
            value=since,
        )
    return start


# --- how it stands -----------------------------------------------------------------------


def _standing(snapshot: Snapshot, goal: Goal) -> Document:
    db, name = snapshot.db, goal.goal_id
    rows = tallies(db, name)
    by_class = class_counts(db, name)
    waiting = _waiting(snapshot, goal)
    counts = by_class.values()
    return {
        "counts": {**_counts(rows), "archived": archived_count(db, name)},
        "now": {
            "open": sum(count.open for count in counts),
            "ready": sum(count.ready for count in counts),
            "free": waiting.free,
            "held": held_todos(db, name, snapshot.now, 0)[1],
            "blocked": sum(count.blocked for count in counts),
            "deferred": sum(count.deferred for count in counts),
        },
        "waiting": _causes(waiting, by_class),
        "oldest_open": [_aged(todo, snapshot.now) for todo in oldest_open(db, name, _OLDEST_SHOWN)],
    }


def _counts(rows: list[Tally]) -> Document:
    by_status = dict.fromkeys(_STATES, 0)
    for row in rows:
        by_status[_state(row)] += row.number
    role_of = {task_class: role for role, classes in CLASSES_OF_ROLE.items() for task_class in classes}
    return {
        "by_status": by_status,
        "by_class": _split(rows, TaskClass, lambda row: row.task_class),
        "by_priority": _split(rows, map(priority_name, range(5)), lambda row: priority_name(row.priority)),
        "by_role": _split(rows, Role, lambda row: role_of[row.task_class]),
    }


def _state(row: Tally) -> str:
    """Its status, told apart where a closure says more."""
    is_told = row.closure in (Closure.FAILED, Closure.SUPERSEDED)
    return str(row.closure) if is_told else str(row.status)


def _split(rows: list[Tally], names: Iterable[str], name_of: Callable[[Tally], str]) -> Document:
    found = {str(name): {"unfinished": 0, "closed": 0} for name in names}
    for row in rows:
        found[str(name_of(row))]["unfinished" if row.closure is None else "closed"] += row.number
    return found


def _waiting(snapshot: Snapshot, goal: Goal) -> Waiting:
    view = load_snapshot(snapshot.db, goal, now=snapshot.now, state=snapshot.state)
    return waiting_of(case_of(view, Caller(NOBODY), snapshot.now))


def _causes(waiting: Waiting, by_class: dict[TaskClass, Counts]) -> list[Document]:
    """What agents' work waits for, and people's as the kept counts tell it."""
    causes = dict(waiting.causes)
    for task_class in CLASSES_OF_ROLE[Role.USER]:
        count = by_class.get(task_class)
        if count is not None:
            for code, number in _of_a_person(count):
                causes[code] = causes.get(code, 0) + number
    order = list(ReasonCode)
    told = sorted(((code, number) for code, number in causes.items() if number), key=lambda row: order.index(row[0]))
    return [{"reason_code": code.value, "todos": number} for code, number in told]


def _of_a_person(count: Counts) -> tuple[tuple[ReasonCode, int], ...]:
    return (
        (ReasonCode.FOR_A_PERSON, count.ready),
        (ReasonCode.DEPENDENCY_OPEN, count.open - count.ready),
        (ReasonCode.BLOCKED, count.blocked),
        (ReasonCode.DEFERRED, count.deferred),
    )


def _aged(todo: Todo, now: Instant) -> Document:
    return {
        "todo_id": todo.todo_id,
        "priority": priority_name(todo.priority),
        "task_class": todo.task_class.value,
        "created_at": format_instant(todo.created_at),
        "age_seconds": max(0, now - todo.created_at) // SECOND,
        "text": cut(todo.text, BRIEF_BYTES)[0],
    }


# --- how it flows ------------------------------------------------------------------------


def _flow(snapshot: Snapshot, goal: Goal, start: Instant) -> Document:
    endings = endings_since(snapshot.db, goal.goal_id, start)
    return {
        "throughput": [_day(count) for count in per_day(endings, start // DAY, snapshot.now // DAY)],
        "cycle_time": {
            "claim_to_done": _spread(claim_to_done(endings)),
            "add_to_done": _spread(add_to_done(endings)),
        },
    }


def _day(count: DayCount) -> Document:
    return {
        "day": _date(count.day),
        "completed": count.completed,
        "failed": count.failed,
        "superseded": count.superseded,
    }


def _spread(found: Spread) -> Document:
    return {
        "todos": found.number,
        "median_seconds": found.median / SECOND if found.median is not None else None,
        "p90_seconds": found.p90 / SECOND if found.p90 is not None else None,
    }


def _date(day: int) -> str:
    return format_instant(day * DAY)[:10]


# --- what it costs -----------------------------------------------------------------------


def _spend(rows: list[DaySpend]) -> Document:
    """Each agent's sum and days, those that ran most first."""
    of_agent: dict[str, list[DaySpend]] = {}
    for row in rows:
        of_agent.setdefault(row.agent_id, []).append(row)
    agents = sorted(of_agent, key=lambda name: (-sum(row.slots for row in of_agent[name]), name))
    return {
        "spend": [_of_agent(name, of_agent[name]) for name in agents[:_AGENTS_SHOWN]],
        "spend_total": len(agents),
    }


def _of_agent(agent_id: str, rows: list[DaySpend]) -> Document:
    return {
        "agent_id": agent_id,
        "slots": sum(row.slots for row in rows),
        "tokens": sum(row.tokens for row in rows),
        "cost": sum(row.cost for row in rows),
        "seconds": sum(row.seconds for row in rows),
        "days": [
            {
                "day": _date(row.day),
                "slots": row.slots,
                "tokens": row.tokens,
                "cost": row.cost,
                "seconds": row.seconds,
            }
            for row in rows
        ],
    }
