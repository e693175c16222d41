"""Stage 9: is every decision that it needs made, and does no open gate hold it (W6)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.case import Case, Drop
from loopx.core.decision.gate import first_covering, first_linked, gate_of, is_rejection, stands
from loopx.core.decision.reason import ReasonCode, Stage
from loopx.core.scope import parse_decision_scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.core.decision.snapshot import Cohort
    from loopx.core.todo import Todo

# What must be mended is said before what must be answered, and that before what a peer waits for.
_SEVERITY = (
    ReasonCode.DECISION_REJECTED,
    ReasonCode.DECISION_SCOPE_WITHOUT_GATE,
    ReasonCode.GATE_OPEN,
    ReasonCode.PEER_GATE_OPEN,
)


def decision_scopes(case: Case, cohort: Cohort) -> Drop | None:
    """The link and each required scope on its own; the gravest obstacle is the stage's answer."""
    drops = [*_by_link(case, cohort.head), *_by_scope(case, cohort.head)]
    return min(drops, key=lambda drop: _SEVERITY.index(drop.reason_code)) if drops else None


def _by_link(case: Case, todo: Todo) -> Iterator[Drop]:
    """A gate that names the todo holds it while open, and goes on to where the answer was no.

    Another agent's gate holds only that agent by its link, except where it asks again after a no.
    """
    gates = case.gates
    gate = first_linked(gates.holding, todo.todo_id)
    if gate is not None:
        yield _gated(ReasonCode.GATE_OPEN, gate, gate_of(gate).decision_scope)
        return
    answered = first_linked(gates.answered, todo.todo_id)
    if answered is not None and is_rejection(answered):
        asked_again = first_linked(gates.others, todo.todo_id)
        code = ReasonCode.DECISION_REJECTED if asked_again is None else ReasonCode.PEER_GATE_OPEN
        gate = asked_again or answered
        yield _gated(code, gate, gate_of(gate).decision_scope)


def _by_scope(case: Case, todo: Todo) -> Iterator[Drop]:
    for text in todo.route.required_decision_scopes:
        required = parse_decision_scope(text)
        gate = first_covering(case.gates.holding, required)
        if gate is not None:
            yield _gated(ReasonCode.GATE_OPEN, gate, text)
            continue
        gate = first_covering(case.gates.others, required)
        if gate is not None:
            yield _gated(ReasonCode.PEER_GATE_OPEN, gate, text)
            continue
        answered = first_covering(case.gates.answered, required)
        if answered is not None and is_rejection(answered):
            yield _gated(ReasonCode.DECISION_REJECTED, answered, text)
        elif answered is None or not stands(answered):
            facts = {"decision_scope": text}
            yield Drop(Stage.DECISION_SCOPES, ReasonCode.DECISION_SCOPE_WITHOUT_GATE, facts)


def _gated(code: ReasonCode, gate: Todo, scope: str | None) -> Drop:
    facts = {"gate": gate.todo_id} if scope is None else {"gate": gate.todo_id, "decision_scope": scope}
    return Drop(Stage.DECISION_SCOPES, code, facts)
