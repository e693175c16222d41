"""Stages 1–5: may anything be decided for this agent at all?"""

from __future__ import annotations

from loopx.core.decision.case import Case, Drop
from loopx.core.decision.gate import covers_any, gate_of
from loopx.core.decision.reason import ReasonCode, Stage
from loopx.core.errors import AgentNotRegisteredError, GraphInvalidError
from loopx.core.goal import GoalState
from loopx.core.todo import Todo


def identity(case: Case) -> Drop | None:
    """The caller is registered and not retired, never *the first agent* (W2.4). AgentNotRegisteredError."""
    agent = case.snapshot.goal.agent(case.agent_id)
    if agent is not None and not agent.retired:
        return None
    raise AgentNotRegisteredError(
        f"{case.agent_id!r} {_what_is_wrong(case)}",
        hint=f"`loopx agent list --goal-id {case.goal_id}` shows the registered agents.",
        agent_id=case.agent_id,
        goal_id=case.goal_id,
    )


def _what_is_wrong(case: Case) -> str:
    goal = case.snapshot.goal
    if goal.agent(case.agent_id) is not None:
        return f"is retired from {goal.goal_id}"
    from loopx.core.name import near_match

    near = near_match(case.agent_id, [agent.agent_id for agent in goal.agents])
    meant = f"; did you mean {near!r}?" if near else ""
    return f"is not a registered agent of {goal.goal_id}{meant}"


def integrity(case: Case) -> Drop | None:
    """A graph with a missing node or a cycle is an error, never "blocked" (S1.4). GraphInvalidError."""
    faults = case.snapshot.faults
    if not faults:
        return None
    raise GraphInvalidError(
        f"nothing is decided on an invalid graph: {faults[0]}",
        hint="`loopx doctor` lists every fault; remove the edge that closes the cycle or leads nowhere.",
        goal_id=case.goal_id,
        faults=[str(fault) for fault in faults],
    )


def goal_state(case: Case) -> Drop | None:
    """Only an active goal is worked on."""
    state = case.snapshot.goal.state
    if state is GoalState.ACTIVE:
        return None
    code = ReasonCode.GOAL_PAUSED if state is GoalState.PAUSED else ReasonCode.GOAL_CLOSED
    return Drop(Stage.GOAL_STATE, code, {"state": state.value})


def gate_scope(case: Case) -> Drop | None:
    """In a team every open gate says whom it holds; otherwise delivery waits for its repair (W6.3)."""
    if not case.gates.incomplete:
        return None
    gate = case.gates.incomplete[0]
    return Drop(Stage.GATE_SCOPE, incomplete_code(gate), {"gate": gate.todo_id})


def incomplete_code(gate: Todo) -> ReasonCode:
    """Whether the gate names nobody, or only somebody who may not act."""
    names_nobody = gate_of(gate).blocks_agent is None
    return ReasonCode.GATE_WITHOUT_REACH if names_nobody else ReasonCode.GATE_OF_INACTIVE_AGENT


def lane_gate(case: Case) -> Drop | None:
    """A global gate holds everybody (W6.4); one that names the caller and nothing else, its lane (W6.7)."""
    if case.gates.everybody:
        return Drop(Stage.LANE_GATE, ReasonCode.GLOBAL_GATE_OPEN, {"gate": case.gates.everybody[0].todo_id})
    for gate in case.gates.naming:
        if gate_of(gate).unblocks_todo_id is None and not _is_required(case, gate):
            return Drop(Stage.LANE_GATE, ReasonCode.LANE_GATE_OPEN, {"gate": gate.todo_id})
    return None


def _is_required(case: Case, gate: Todo) -> bool:
    """Whether a todo that is not closed needs what the gate decides."""
    return any(covers_any(gate, cohort.head.route.required_decision_scopes) for cohort in case.snapshot.cohorts)
