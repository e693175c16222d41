"""The board: a goal's todos in lanes, by what the decision's own stages say of them for nobody in particular."""

from __future__ import annotations

from enum import StrEnum
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING

from loopx.app.mark import NOBODY, Marker
from loopx.contracts.todo_document import brief_todo
from loopx.core.decision.case import case_of
from loopx.core.decision.reason import CONSEQUENCES, Consequence, ReasonCode, Stage
from loopx.core.decision.snapshot import Caller
from loopx.core.decision.waiting import first_obstacle
from loopx.core.instant import format_instant
from loopx.core.value import Value
from loopx.store.glance import newest_closed, user_todos
from loopx.store.overview import class_counts
from loopx.store.snapshot import load_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.decision.case import Case, Drop
    from loopx.core.decision.snapshot import Cohort
    from loopx.core.goal import Goal
    from loopx.core.todo import Todo

SHOWN = 80  # cards of a lane; six lanes stay below 500


class LaneName(StrEnum):
    """Where a todo stands; every todo that is not archived is in one lane."""

    FOR_YOU = "for_you"  # a person decides or acts
    READY = "ready"  # an agent that can do it may take it
    IN_HAND = "in_hand"  # a live claim or lease is on it
    WAITING = "waiting"  # a gate, a dependency, a stated cause or a repair
    LATER = "later"  # it wakes by itself
    CLOSED = "closed"  # done, failed or superseded, newest first


class Lane(Value):
    """The best-ranked cards of a lane and how many there are (None: not counted)."""

    name: LaneName
    total: int | None
    cards: tuple[Document, ...]


class Board(Value):
    """The lanes of one goal, and the gates that stop everybody until they say whom they hold (W6.3)."""

    goal_id: str
    state: str
    lanes: tuple[Lane, ...]
    incomplete_gates: tuple[str, ...]


_QUIET = frozenset((ReasonCode.DEFERRED, ReasonCode.MONITOR_NOT_DUE))


def read_board(project: Project, goal_id: str | None, *, shown: int = SHOWN) -> Board:
    """The lanes of the goal, at most `shown` cards each; its cost follows the routes, not the todos.

    GoalNotFoundError; UsageError where several goals could be meant.
    """
    return project.read(lambda snapshot: board_of(snapshot, snapshot.registry.goal(goal_id), shown))


def board_of(snapshot: Snapshot, goal: Goal, shown: int) -> Board:
    """The same on a snapshot that is open already."""
    view = load_snapshot(snapshot.db, goal, now=snapshot.now, state=snapshot.state, members=shown)
    case = case_of(view, Caller(NOBODY), snapshot.now)
    sorted_in = _sorted_in(case, view.cohorts)
    marker = Marker(snapshot)
    lanes = (
        _user_lane(snapshot, goal, marker, shown),
        *(
            _lane(name, sorted_in[name], marker, shown)
            for name in (LaneName.READY, LaneName.IN_HAND, LaneName.WAITING, LaneName.LATER)
        ),
        _closed_lane(snapshot, goal, marker, shown),
    )
    incomplete = tuple(gate.todo_id for gate in case.gates.incomplete)
    return Board(goal.goal_id, goal.state.value, lanes, incomplete)


def _sorted_in(case: Case, cohorts: Iterable[Cohort]) -> dict[LaneName, list[tuple[Cohort, Drop | None]]]:
    found: dict[LaneName, list[tuple[Cohort, Drop | None]]] = {name: [] for name in LaneName}
    for cohort in cohorts:
        drop = first_obstacle(case, cohort)
        found[lane_of(drop)].append((cohort, drop))
    return found


def lane_of(drop: Drop | None) -> LaneName:
    """The lane of agents' work whose first obstacle this is."""
    if drop is None:
        return LaneName.READY
    if drop.stage is Stage.HOLDING:
        return LaneName.IN_HAND
    return LaneName.LATER if drop.reason_code in _QUIET else LaneName.WAITING


def _lane(name: LaneName, parts: Sequence[tuple[Cohort, Drop | None]], marker: Marker, shown: int) -> Lane:
    """The best cards of all cohorts: each brings its own best, in order."""
    ranked = merge(*([(todo, drop) for todo in cohort.members] for cohort, drop in parts), key=lambda row: row[0].rank)
    cards = tuple(_card(todo, drop, marker) for todo, drop in islice(ranked, shown))
    return Lane(name, sum(cohort.count for cohort, _ in parts), cards)


def _user_lane(snapshot: Snapshot, goal: Goal, marker: Marker, shown: int) -> Lane:
    counts = class_counts(snapshot.db, goal.goal_id)
    total = sum(count.unfinished for name, count in counts.items() if name.value.startswith("user_"))
    found = user_todos(snapshot.db, goal.goal_id, shown)
    return Lane(LaneName.FOR_YOU, total, tuple(_card(todo, None, marker) for todo in found))


def _closed_lane(snapshot: Snapshot, goal: Goal, marker: Marker, shown: int) -> Lane:
    found = newest_closed(snapshot.db, goal.goal_id, shown // 2)
    return Lane(LaneName.CLOSED, None, tuple(_card(todo, None, marker) for todo in found))


def _card(todo: Todo, drop: Drop | None, marker: Marker) -> Document:
    """A brief todo with its marks, what it waits for, and the instant that its lane tells of."""
    document = marker.marked(brief_todo(todo), todo)
    document["reason_code"] = drop.reason_code.value if drop is not None else None
    document["needs_repair"] = drop is not None and CONSEQUENCES[drop.reason_code] is Consequence.REPAIR
    document["facts"] = dict(drop.facts) if drop is not None else {}
    document["unmet_dependencies"] = todo.unmet
    document["wakes_at"] = _wakes_at(todo)
    document["closed_at"] = format_instant(todo.closed_at) if todo.closed_at is not None else None
    return document


def _wakes_at(todo: Todo) -> str | None:
    if todo.polling is not None:
        return format_instant(todo.polling.next_due_at)
    at = todo.resume.at if todo.resume is not None else None
    return None if at is None else format_instant(at)
