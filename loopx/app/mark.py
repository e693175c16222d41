"""Why a listed todo is not free, at a glance: GATED, LEASED or STALE, with who must act.

The gates are judged by the decision's own stages, for nobody in particular: a gate that holds one
agent only marks what it names and what needs its answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.contracts.todo_document import is_claim_stale
from loopx.core.instant import format_instant
from loopx.core.todo import Role, Todo
from loopx.store.gates import read_gates

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Snapshot
    from loopx.core.decision.case import Case
    from loopx.core.goal import Goal

NOBODY = ""  # no agent has this id, so no gate names it


class Marker:
    """The marks of todos on one snapshot; the gates of a goal are read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._gates: dict[str, tuple[Todo, ...]] = {}

    def marked(self, document: Document, todo: Todo) -> Document:
        """The todo's document, with its marks where it has any."""
        marks = [] if todo.is_closed else self._marks(todo)
        return {**document, "marks": marks} if marks else document

    def _marks(self, todo: Todo) -> list[Document]:
        goal = self._snapshot.registry.find(todo.goal_id)
        if goal is None:
            return []
        marks = (self._gated(goal, todo), self._leased(todo), self._stale(goal, todo))
        return [mark for mark in marks if mark is not None]

    def _leased(self, todo: Todo) -> Document | None:
        lease = todo.live_lease(self._snapshot.now)
        return None if lease is None else _mark("LEASED", lease.holder, until=format_instant(lease.expires_at))

    def _stale(self, goal: Goal, todo: Todo) -> Document | None:
        agents = [agent.agent_id for agent in goal.active_agents]
        if todo.claim is None or not is_claim_stale(todo, self._snapshot.now, agents):
            return None
        return _mark("STALE", todo.claim.agent_id, until=format_instant(todo.claim.expires_at))

    def _gated(self, goal: Goal, todo: Todo) -> Document | None:
        if goal.goal_id not in self._gates:
            self._gates[goal.goal_id] = read_gates(self._snapshot.db, goal.goal_id)
        gates = self._gates[goal.goal_id]
        if todo.role is Role.USER or not (gates or todo.route.required_decision_scopes):
            return None
        from loopx.core.decision.admission import lane_gate
        from loopx.core.decision.gating import decision_scopes
        from loopx.core.decision.snapshot import Cohort

        case = self._case(goal, gates)
        drop = lane_gate(case) or decision_scopes(case, Cohort(members=(todo,), count=1))
        if drop is None:
            return None
        gate = drop.facts.get("gate")
        return _mark("GATED", "user", by=gate, reason_code=drop.reason_code.value)

    def _case(self, goal: Goal, gates: tuple[Todo, ...]) -> Case:
        from loopx.core.decision.case import case_of
        from loopx.core.decision.snapshot import Caller, Snapshot

        view = Snapshot(
            state=self._snapshot.state,
            sequence=0,
            goal=goal,
            cohorts=(),
            gates=gates,
            user_todos=(),
            user_open=0,
        )
        return case_of(view, Caller(NOBODY), self._snapshot.now)


def _mark(
    mark: str,
    who: str,
    *,
    by: object = None,
    until: str | None = None,
    reason_code: str | None = None,
) -> Document:
    return {"mark": mark, "who": who, "by": by, "until": until, "reason_code": reason_code}
