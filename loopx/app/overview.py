"""The goals of a project as a person first sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.board import LaneName, board_of
from loopx.app.goal_view import goals_of_page
from loopx.app.mark import NOBODY
from loopx.app.status import goal_status
from loopx.core.decision.case import case_of
from loopx.core.decision.snapshot import Caller
from loopx.core.decision.waiting import waiting_of
from loopx.core.instant import DAY, format_instant
from loopx.core.text import BRIEF_BYTES, cut
from loopx.core.value import Value
from loopx.store.glance import asked_count, closed_by_day
from loopx.store.snapshot import load_snapshot

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal

_DAYS = 14
_GOALS_NAMED = 200  # more are found by their page


class Glance(Value):
    """One goal: its `status`, how many todos are in each lane, and its agents."""

    status: Document
    lanes: dict[str, int]
    agents: tuple[str, ...]
    criteria: int


class Standing(Value):
    """What a goal's agents wait for, most first, and how many todos were closed on each of the last days."""

    causes: tuple[tuple[str, int], ...]
    days: tuple[tuple[str, int], ...]


class Overview(Value):
    """A page of goals; `next_cursor` leads to the next one."""

    goals: tuple[Glance, ...]
    total: int
    next_cursor: str | None


class Masthead(Value):
    """What stands above every page: the goals by name, and how much waits for a person in all of them."""

    goals: tuple[Document, ...]
    total: int
    asked: int


def read_overview(project: Project, goal_id: str | None, page: Page) -> Overview:
    """One goal, or a page of all. GoalNotFoundError."""

    def query(snapshot: Snapshot) -> Overview:
        goals, keys = goals_of_page(snapshot, page, goal_id)
        return Overview(tuple(_glance(snapshot, goal) for goal in goals), keys["total"], keys["next_cursor"])

    return project.read(query)


def read_standing(project: Project, goal_id: str | None) -> Standing:
    """The standing of one goal; today and the thirteen days before it, in UTC. GoalNotFoundError."""

    def query(snapshot: Snapshot) -> Standing:
        goal, now = snapshot.registry.goal(goal_id), snapshot.now
        view = load_snapshot(snapshot.db, goal, now=now, state=snapshot.state)
        causes = waiting_of(case_of(view, Caller(NOBODY), now)).causes
        first = now // DAY - _DAYS + 1
        closed = closed_by_day(snapshot.db, goal.goal_id, first * DAY)
        return Standing(
            tuple(sorted(((code.value, count) for code, count in causes.items() if count), key=lambda row: -row[1])),
            tuple((format_instant(day * DAY)[:10], closed.get(day, 0)) for day in range(first, first + _DAYS)),
        )

    return project.read(query)


def read_masthead(project: Project) -> Masthead:
    """The names of the goals and the number of open questions."""

    def query(snapshot: Snapshot) -> Masthead:
        ids = snapshot.registry.goal_ids
        goals = (snapshot.registry.goal(name) for name in ids[:_GOALS_NAMED])
        named = tuple(_named(goal) for goal in goals)
        return Masthead(named, len(ids), asked_count(snapshot.db, ids))

    return project.read(query)


def _glance(snapshot: Snapshot, goal: Goal) -> Glance:
    status = goal_status(snapshot, goal)
    lanes = {lane.name.value: lane.total for lane in board_of(snapshot, goal, 1).lanes if lane.total is not None}
    lanes[LaneName.CLOSED.value] = status["counts"]["closed"]
    agents = tuple(agent.agent_id for agent in goal.active_agents)
    return Glance(status, lanes, agents, len(goal.acceptance))


def _named(goal: Goal) -> Document:
    return {
        "goal_id": goal.goal_id,
        "state": goal.state.value,
        "objective": cut(goal.objective, BRIEF_BYTES)[0],
    }
