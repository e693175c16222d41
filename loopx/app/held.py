"""Whether work may be started or finished now: the decision's own stages, at every door (W3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.boundary import outside_boundary
from loopx.core.errors import GateOpenError, OutsideGoalBoundaryError, TodoBlockedError
from loopx.core.todo import Role
from loopx.store.gates import has_gates

if TYPE_CHECKING:
    from loopx.app.mutation import Work
    from loopx.core.decision.case import Case, Drop
    from loopx.core.todo import Todo


def refuse_unready(work: Work, todo: Todo) -> None:
    """Gated, blocked or outside work is neither started nor finished.

    GateOpenError, OutsideGoalBoundaryError, TodoBlockedError.
    """
    refusal = unready(work, todo)
    if refusal is not None:
        raise refusal


def unready(work: Work, todo: Todo) -> GateOpenError | OutsideGoalBoundaryError | TodoBlockedError | None:
    """Why the todo may be neither started nor finished now: its gates, the boundary, what it waits for (W6.7, W8.4).

    A gate of a team that does not say whom it holds closes delivery until its repair (W6.3).
    """
    if todo.role is not Role.USER and _may_be_gated(work, todo):
        drop = _obstacle(work, todo)
        if drop is not None:
            return _gated(todo, drop)
    outside = outside_boundary(work.goal.boundary, todo.route)
    if outside is not None:
        return _outside(todo, outside)
    return _blocked(todo) if todo.unmet else None


def _may_be_gated(work: Work, todo: Todo) -> bool:
    """Cheap and exact where it says no: no decision is required and the goal has no gate at all."""
    return bool(todo.route.required_decision_scopes or has_gates(work.tx.db, work.goal.goal_id))


def still_owed(work: Work, todo: Todo) -> tuple[str, ...]:
    """The todo's required decision scopes without those to which a person has said no for good."""
    if not todo.route.required_decision_scopes:
        return ()
    from loopx.core.decision.gate import is_refused

    gates = _case(work).gates
    return tuple(scope for scope in todo.route.required_decision_scopes if not is_refused(gates, scope))


def _case(work: Work) -> Case:
    from loopx.core.decision.case import case_of
    from loopx.core.decision.snapshot import Caller
    from loopx.store.snapshot import load_snapshot

    snapshot = load_snapshot(work.tx.db, work.goal, now=work.now, state="")
    return case_of(snapshot, Caller(work.actor.agent_id or ""), work.now)


def _obstacle(work: Work, todo: Todo) -> Drop | None:
    """What the stages about gates say of the todo; loaded only where there is a gate to ask about."""
    from loopx.core.decision.admission import gate_scope, lane_gate
    from loopx.core.decision.gating import decision_scopes
    from loopx.core.decision.snapshot import Cohort

    case = _case(work)
    return gate_scope(case) or lane_gate(case) or decision_scopes(case, Cohort(members=(todo,), count=1))


def _outside(todo: Todo, outside: str) -> OutsideGoalBoundaryError:
    return OutsideGoalBoundaryError(
        f"{outside!r} of {todo.todo_id} lies outside the boundary of {todo.goal_id}",
        hint=f"Narrow it, or ask the user to widen the boundary: `loopx goal show --goal-id {todo.goal_id}`.",
        todo_id=todo.todo_id,
        outside=outside,
    )


def _blocked(todo: Todo) -> TodoBlockedError:
    return TodoBlockedError(
        f"{todo.todo_id} waits for {todo.unmet} unmet dependencies",
        hint=f"`loopx todo show {todo.todo_id}` names them.",
        todo_id=todo.todo_id,
        unmet_dependencies=todo.unmet,
    )


def _gated(todo: Todo, drop: Drop) -> GateOpenError:
    gate = drop.facts.get("gate")
    what = f"the gate {gate}" if gate else f"no gate for {drop.facts.get('decision_scope')}"
    return GateOpenError(
        f"{todo.todo_id} is held by {what} ({drop.reason_code})",
        hint=f"A person answers it: `loopx gate answer {gate}`." if gate else "Add a gate that asks for the decision.",
        todo_id=todo.todo_id,
        reason_code=drop.reason_code.value,
        **drop.facts,
    )
