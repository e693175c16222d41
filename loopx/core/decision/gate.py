"""Whom an open gate holds, and what an answered one decided (W6.3–W6.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.scope import covers, parse_decision_scope
from loopx.core.todo import Gate, Todo, Verdict
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from loopx.core.decision.snapshot import Snapshot
    from loopx.core.scope import DecisionScope


class GateReach(Value):
    """The gates of a goal by whom they hold, seen by one agent.

    `incomplete` ones say nothing usable in a team. `everybody` and `caller` hold the caller; of
    `caller`, those that name it are also `naming`. `answered` come newest first.
    """

    incomplete: tuple[Todo, ...]
    everybody: tuple[Todo, ...]
    caller: tuple[Todo, ...]
    naming: tuple[Todo, ...]
    others: tuple[Todo, ...]
    answered: tuple[Todo, ...]

    @property
    def holding(self) -> tuple[Todo, ...]:
        """Open gates that hold the caller, or that would once their reach is stated."""
        return self.everybody + self.caller + self.incomplete


NO_GATES = GateReach((), (), (), (), (), ())


def reach_of(snapshot: Snapshot, agent_id: str, peers: Sequence[str]) -> GateReach:
    """Sort the gates by whom they hold for `agent_id`; one agent alone needs no stated reach."""
    if not snapshot.gates:
        return NO_GATES
    incomplete: list[Todo] = []
    everybody: list[Todo] = []
    caller: list[Todo] = []
    others: list[Todo] = []
    for todo in snapshot.gates:
        gate = gate_of(todo)
        if gate.decision is not None:
            continue
        if gate.global_gate:
            everybody.append(todo)
        elif gate.blocks_agent == agent_id:
            caller.append(todo)
        elif gate.blocks_agent in peers:
            others.append(todo)
        elif len(peers) > 1:
            incomplete.append(todo)
        else:
            caller.append(todo)
    return GateReach(
        incomplete=_ranked(incomplete),
        everybody=_ranked(everybody),
        caller=_ranked(caller),
        naming=_ranked(todo for todo in caller if gate_of(todo).blocks_agent == agent_id),
        others=_ranked(others),
        answered=_newest_first(snapshot.gates),
    )


def gate_of(todo: Todo) -> Gate:
    """The todo's gate value."""
    return todo.gate or Gate()


def covers_any(gate: Todo, required: Iterable[str]) -> bool:
    """Whether the gate's scope decides one of the required ones."""
    scope = gate_of(gate).decision_scope
    if scope is None:
        return False
    own = parse_decision_scope(scope)
    return any(covers(own, parse_decision_scope(text)) for text in required)


def first_covering(gates: Iterable[Todo], required: DecisionScope) -> Todo | None:
    """The first of the gates whose scope decides the required one."""
    for gate in gates:
        scope = gate_of(gate).decision_scope
        if scope is not None and covers(parse_decision_scope(scope), required):
            return gate
    return None


def first_linked(gates: Iterable[Todo], todo_id: str) -> Todo | None:
    """The first of the gates that names the todo as what it unblocks."""
    return next((gate for gate in gates if gate_of(gate).unblocks_todo_id == todo_id), None)


def is_refused(gates: GateReach, required: str) -> bool:
    """Whether the newest word on the required scope is a no, and no open gate asks again."""
    scope = parse_decision_scope(required)
    if first_covering((*gates.holding, *gates.others), scope) is not None:
        return False
    answered = first_covering(gates.answered, scope)
    return answered is not None and is_rejection(answered)


def is_rejection(gate: Todo) -> bool:
    """Whether it was answered no, and still is."""
    decision = gate_of(gate).decision
    return decision is not None and decision.verdict is Verdict.REJECT and decision.revoked_at is None


def stands(gate: Todo) -> bool:
    """Whether it was answered yes for later todos too, and still is."""
    decision = gate_of(gate).decision
    if decision is None or decision.verdict is not Verdict.APPROVE:
        return False
    return decision.standing and decision.revoked_at is None


def _ranked(gates: Iterable[Todo]) -> tuple[Todo, ...]:
    return tuple(sorted(gates, key=lambda todo: todo.rank))


def _newest_first(gates: Iterable[Todo]) -> tuple[Todo, ...]:
    dated = [
        (decision.decided_at, todo.sequence, todo) for todo in gates if (decision := gate_of(todo).decision) is not None
    ]
    return tuple(todo for _, _, todo in sorted(dated, key=lambda row: row[:2], reverse=True))
