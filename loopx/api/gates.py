"""`plane.gates`, `plane.monitors` and `plane.facts`: what a person decides, and what is so outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, cast

from loopx.api.desk import LIMIT, Desk, page
from loopx.api.how import Changing, Holding, member, told_how, words
from loopx.api.span import time_text
from loopx.app.fact import list_facts, record_fact
from loopx.app.gate_answer import Answer, answer_gate, revoke_gate
from loopx.app.monitor import Poll, poll_monitor
from loopx.app.successors import Following
from loopx.app.todo_list import Wanted, list_todos
from loopx.core.todo import ContinuationPolicy, Status, TaskClass, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.api.document import FactListV1, FactV1, MonitorPollV1, TodoListV1, TodoV1
    from loopx.api.how import Policy
    from loopx.api.span import Moment


class Gates(Desk):
    """Decisions that wait for a person. An agent's plane may look; answering is refused (W6.6)."""

    def list(self, *, status: Status | str | None = None, limit: int = LIMIT, cursor: str | None = None) -> TodoListV1:
        """Gates in creation order, whole, with their answers."""
        wanted = Wanted(
            goal_id=self._session.goal_id,
            status=None if status is None else member(Status, status),
            task_class=TaskClass.USER_GATE,
        )
        return cast("TodoListV1", self._told(list_todos(self._project, wanted, page(limit, cursor), full=True)))

    def answer(
        self,
        todo_id: str,
        decision: Verdict | Literal["approve", "reject"],
        *,
        note: str | None = None,
        standing: bool = False,
        **options: Unpack[Changing],
    ) -> TodoV1:
        """Record the decision of the person that this plane stands for. UserDecisionRequiredError for an agent."""
        answer = Answer(member(Verdict, decision), note, standing)
        call = self._session.call("gate_answered", (todo_id, answer), told_how(options))
        return cast("TodoV1", self._told(answer_gate(self._project, call, todo_id, answer)))

    def revoke(self, todo_id: str, **options: Unpack[Changing]) -> TodoV1:
        """End a standing answer; what it covered needs a decision again."""
        call = self._session.call("gate_revoked", todo_id, told_how(options))
        return cast("TodoV1", self._told(revoke_gate(self._project, call, todo_id)))


class Monitors(Desk):
    """Read-only looks at the outside."""

    def poll(
        self,
        todo_id: str,
        *,
        changed: bool,
        evidence: str,
        next_due_at: Moment | None = None,
        next_agent_todos: Iterable[str] = (),
        next_user_todos: Iterable[str] = (),
        successor_todo_ids: Iterable[str] = (),
        next_continuation_policy: ContinuationPolicy | Policy | None = None,
        next_claimed_by: str | None = None,
        **options: Unpack[Holding],
    ) -> MonitorPollV1:
        """Record one poll. Without a change it may not be early (MonitorNotDueError); with one it always may."""
        following = Following(
            agent_todos=words(next_agent_todos),
            user_todos=words(next_user_todos),
            successor_ids=words(successor_todo_ids),
            policy=next_continuation_policy and member(ContinuationPolicy, next_continuation_policy),
            claimed_by=next_claimed_by,
        )
        poll = Poll(changed, evidence, time_text(next_due_at), following)
        call = self._session.call("monitor_polled", (todo_id, poll), told_how(options))
        return cast("MonitorPollV1", self._told(poll_monitor(self._project, call, todo_id, poll)))


class Facts(Desk):
    """Outside facts that resume conditions read."""

    def record(self, fact: str, *, evidence: str, **options: Unpack[Changing]) -> FactV1:
        """Record that something outside is so, such as `pr_merged:…`; what waits for it wakes at once."""
        call = self._session.call("fact_recorded", (fact, evidence), told_how(options))
        return cast("FactV1", self._told(record_fact(self._project, call, fact, evidence)))

    def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> FactListV1:
        """What has been recorded, in the order of names."""
        return cast("FactListV1", self._told(list_facts(self._project, page(limit, cursor))))
