"""Reading the decision surface of a goal for one receiver, in one snapshot (W11.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.material import material_frontier
from loopx.app.status import holding_row
from loopx.contracts.handoff_document import (
    SHOWN,
    authority_document,
    claims_document,
    frontier_rows,
    gates_document,
    is_sound,
    lineage_document,
    next_action_document,
    objective_text,
    stop_document,
    validation_document,
)
from loopx.contracts.material_document import frontier_document
from loopx.core.closure import closure_gaps
from loopx.core.decision.compile import compile_decision
from loopx.core.decision.snapshot import Caller
from loopx.core.handoff import Surface, SurfaceChecks
from loopx.store.closure import closure_facts
from loopx.store.criteria import criteria_evidence
from loopx.store.handoffs import newest_direction, newest_stop, validated_runs
from loopx.store.lineage import lineage_of
from loopx.store.overview import held_todos, open_gates
from loopx.store.snapshot import load_snapshot, unmet_criteria
from loopx.store.todos import find_todo

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.decision.decision import Decision
    from loopx.core.goal import Goal
    from loopx.core.todo import Todo


def read_surface(project: Project, snapshot: Snapshot, goal: Goal, to_agent: str) -> Surface:
    """Everything that the receiver must find again, read once."""
    db, now = snapshot.db, snapshot.now
    loaded = load_snapshot(db, goal, now=now, state=snapshot.state)
    decision = compile_decision(loaded, Caller(to_agent), now)
    todos = _frontier_todos(snapshot, decision)
    held, held_total = held_todos(db, goal.goal_id, now, SHOWN)
    gates, gates_total = open_gates(db, goal.goal_id, SHOWN)
    fields: Document = {
        "objective": objective_text(goal),
        "authority": authority_document(goal),
        "validation_surface": _validation(snapshot, goal, todos),
        "frontier": frontier_rows(decision, todos),
        "gates": gates_document(gates, gates_total),
        "claims": claims_document([holding_row(snapshot, goal, todo) for todo in held], held_total),
        "next_action": next_action_document(decision, newest_direction(db, goal.goal_id)),
        "stop_condition": _stop(snapshot, goal),
        "material_frontier": frontier_document(material_frontier(project, snapshot, goal, to_agent)),
        "lineage": lineage_document([lineage_of(db, todo) for todo in _first(todos, held, snapshot)]),
    }
    checks = _checks(decision, fields)
    return Surface(goal.goal_id, to_agent, now, loaded.sequence, fields, checks, decision)


def _frontier_todos(snapshot: Snapshot, decision: Decision) -> dict[str, Todo]:
    """The todos that the decision names, by id, the selected one first."""
    selected = [decision.selected.todo.todo_id] if decision.selected is not None else []
    runnable = decision.capability_gate.runnable if decision.capability_gate is not None else ()
    ids = dict.fromkeys((*selected, *runnable, *(row.todo_id for row in decision.blocking)))
    found = ((todo_id, find_todo(snapshot.db, todo_id)) for todo_id in ids)
    return {todo_id: todo for todo_id, todo in found if todo is not None}


def _first(todos: dict[str, Todo], held: list[Todo], snapshot: Snapshot) -> list[Todo]:
    """The todos whose lineage is shown: those of the frontier, then those that somebody is on."""
    chosen = dict(todos)
    for todo in held:
        if len(chosen) >= SHOWN:
            break
        whole = find_todo(snapshot.db, todo.todo_id)
        if whole is not None:
            chosen.setdefault(todo.todo_id, whole)
    return list(chosen.values())[:SHOWN]


def _validation(snapshot: Snapshot, goal: Goal, todos: dict[str, Todo]) -> Document:
    db = snapshot.db
    return validation_document(
        goal,
        unmet=unmet_criteria(db, goal),
        evidence=criteria_evidence(db, goal.goal_id),
        gaps=closure_gaps(closure_facts(db, goal, glance=True)),
        runs=validated_runs(db, goal.goal_id, 3),
        todos=[todo for todo in todos.values() if todo.validation is not None or todo.acceptance],
    )


def _stop(snapshot: Snapshot, goal: Goal) -> Document | None:
    """When to stop: as a run on open work said, else by the criteria that are not met, else as any run said."""
    db = snapshot.db
    stated = newest_stop(db, goal.goal_id, on_open_work=True)
    unmet = unmet_criteria(db, goal)
    if stated is None and not unmet:
        stated = newest_stop(db, goal.goal_id, on_open_work=False)
    return stop_document(stated, goal, unmet)


def _checks(decision: Decision, fields: Document) -> SurfaceChecks:
    """What is there of what the receiver needs (W11.2)."""
    action, rows = fields["next_action"], fields["frontier"]["runnable"]
    selected = decision.selected.todo.todo_id if decision.selected is not None else None
    return SurfaceChecks(
        project_asset_backed=decision.sequence > 0,
        same_source_should_run=action is not None
        and action["todo_id"] == selected
        and selected in (None, *(row["todo_id"] for row in rows)),
        codex_ready=decision.should_run,
        handoff_has_next_action=action is not None and bool(action["commands"] or action["stated"]),
        handoff_has_stop_condition=fields["stop_condition"] is not None,
        handoff_sanitized_surface=is_sound(fields),
    )
