"""`status`: each goal at a glance, from kept counts and short lists (budgets: flat at 100,000 todos)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_view import goals_of_page
from loopx.contracts.goal_document import gap_document
from loopx.contracts.todo_document import is_claim_stale, priority_name
from loopx.core.closure import closure_gaps
from loopx.core.instant import format_instant
from loopx.core.text import BRIEF_BYTES, cut
from loopx.core.todo import Gate
from loopx.store.closure import closure_facts
from loopx.store.overview import class_counts, closed_count, held_todos, open_gates
from loopx.store.snapshot import unmet_criteria

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.core.todo import Todo
    from loopx.store.overview import Counts

STATUS_SCHEMA = "status_v1"
SHOWN = 20  # rows of each list of a goal; the lists have commands of their own


def read_status(project: Project, goal_id: str | None, page: Page) -> Document:
    """One goal, or a page of all: counts, who is on what, open gates, what is missing for closure."""

    def query(snapshot: Snapshot) -> Document:
        goals, keys = goals_of_page(snapshot, page, goal_id)
        return {
            "schema_version": STATUS_SCHEMA,
            "ok": True,
            "goals": [goal_status(snapshot, goal) for goal in goals],
            **keys,
            "state": snapshot.state,
        }

    return project.read(query)


def goal_status(snapshot: Snapshot, goal: Goal) -> Document:
    """One goal at a glance, on a snapshot that is open already."""
    db, name = snapshot.db, goal.goal_id
    counts = class_counts(db, name)
    held, held_total = held_todos(db, name, snapshot.now, SHOWN)
    gates, gates_total = open_gates(db, name, SHOWN)
    return {
        "goal_id": name,
        "objective": cut(goal.objective, BRIEF_BYTES)[0],
        "state": goal.state.value,
        "counts": {**_summed(counts.values()), "closed": closed_count(db, name)},
        "by_class": {task_class.value: _counted(count) for task_class, count in counts.items()},
        "work": [holding_row(snapshot, goal, todo) for todo in held],
        "work_total": held_total,
        "gates": [gate_row(todo) for todo in gates],
        "gates_total": gates_total,
        **_criteria(goal, unmet_criteria(db, goal)),
        "missing": [gap_document(gap) for gap in closure_gaps(closure_facts(db, goal, glance=True))],
    }


def _counted(count: Counts) -> Document:
    return {"open": count.open, "ready": count.ready, "blocked": count.blocked, "deferred": count.deferred}


def _summed(counts: Iterable[Counts]) -> Document:
    rows = [_counted(count) for count in counts]
    return {name: sum(row[name] for row in rows) for name in ("open", "ready", "blocked", "deferred")}


def holding_row(snapshot: Snapshot, goal: Goal, todo: Todo) -> Document:
    """Who is on it: the holder of a live lease, otherwise the agent of the claim, which may be stale."""
    lease, claim = todo.live_lease(snapshot.now), todo.claim
    if lease is not None:
        return _work(todo, lease.holder, "leased", lease.expires_at)
    assert claim is not None
    agents = [agent.agent_id for agent in goal.active_agents]
    is_stale = is_claim_stale(todo, snapshot.now, agents)
    return _work(todo, claim.agent_id, "stale" if is_stale else "claimed", claim.expires_at)


def _work(todo: Todo, agent_id: str, held: str, until: int) -> Document:
    return {**_line(todo), "agent_id": agent_id, "held": held, "until": format_instant(until)}


def gate_row(todo: Todo) -> Document:
    """An open question, and whom it holds."""
    gate = todo.gate or Gate()
    return {
        **_line(todo),
        "decision_scope": gate.decision_scope,
        "blocks_agent": gate.blocks_agent,
        "global_gate": gate.global_gate,
        "unblocks_todo_id": gate.unblocks_todo_id,
    }


def _line(todo: Todo) -> Document:
    return {
        "todo_id": todo.todo_id,
        "priority": priority_name(todo.priority),
        "text": cut(todo.text, BRIEF_BYTES)[0],
    }


def _criteria(goal: Goal, unmet: tuple[str, ...]) -> Document:
    texts = {criterion.id: criterion.text for criterion in goal.acceptance}
    shown = [{"id": name, "text": cut(texts[name], BRIEF_BYTES)[0]} for name in unmet[:SHOWN]]
    return {"unmet_criteria": shown, "unmet_criteria_total": len(unmet)}
