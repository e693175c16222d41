"""Goals as they are: `goal show`, `goal list`, and what every verb on a goal answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.page import page_keys
from loopx.contracts.goal_document import gap_document, goal_document
from loopx.core.closure import closure_gaps
from loopx.core.text import BRIEF_BYTES, cut
from loopx.store.closure import closure_facts
from loopx.store.overview import class_counts
from loopx.store.snapshot import unmet_criteria

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.store.connection import Connection

GOAL_SCHEMA = "goal_v1"
LIST_SCHEMA = "goal_list_v1"


def show_goal(project: Project, goal_id: str | None) -> Document:
    """One goal, whole, and what is missing for its closure. GoalNotFoundError."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        return {**goal_answer(snapshot.db, goal), "state": snapshot.state}

    return project.read(query)


def goal_answer(db: Connection, goal: Goal) -> Document:
    """The document of a goal and of every verb on it."""
    unmet = unmet_criteria(db, goal)
    met = {criterion.id for criterion in goal.acceptance} - set(unmet)
    return {
        "schema_version": GOAL_SCHEMA,
        "ok": True,
        "goal": goal_document(goal, met=met),
        "missing": [gap_document(gap) for gap in closure_gaps(closure_facts(db, goal))],
    }


def list_goals(project: Project, page: Page) -> Document:
    """The goals in the order of the registry, a line each."""

    def query(snapshot: Snapshot) -> Document:
        numbered, keys = goals_of_page(snapshot, page)
        return {
            "schema_version": LIST_SCHEMA,
            "ok": True,
            "goals": [_listed(snapshot.db, goal) for goal in numbered],
            **keys,
            "state": snapshot.state,
        }

    return project.read(query)


def goals_of_page(snapshot: Snapshot, page: Page, goal_id: str | None = None) -> tuple[list[Goal], Document]:
    """The goals of a page, or the one that was named, and the keys that say how to go on."""
    if goal_id is not None:
        return [snapshot.registry.goal(goal_id)], {"total": 1, "truncated": False, "next_cursor": None}
    numbered = list(enumerate(snapshot.registry.goal_ids, start=1))[page.after :]
    goals = [snapshot.registry.goal(name) for _, name in numbered[: page.limit]]
    keys = page_keys([number for number, _ in numbered], len(numbered), page.limit)
    return goals, {"total": len(snapshot.registry.goal_ids), **keys}


def _listed(db: Connection, goal: Goal) -> Document:
    counts = class_counts(db, goal.goal_id).values()
    return {
        "goal_id": goal.goal_id,
        "objective": cut(goal.objective, BRIEF_BYTES)[0],
        "state": goal.state.value,
        "agents": len(goal.active_agents),
        "open": sum(count.open for count in counts),
        "blocked": sum(count.blocked for count in counts),
        "deferred": sum(count.deferred for count in counts),
        "unmet_criteria": len(unmet_criteria(db, goal)),
    }
