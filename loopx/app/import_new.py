"""What new records become: todos in the state that their source says, and the gates of their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.import_own import OwnWords
from loopx.app.todo_new import priority_of
from loopx.core.digest import sha256_hex
from loopx.core.foreign.record import CLOSED_THERE, ForeignState
from loopx.core.instant import format_instant
from loopx.core.todo import (
    DEFAULT_PRIORITY,
    Closure,
    Gate,
    Resume,
    Role,
    Route,
    Status,
    TaskClass,
    Todo,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.app.mutation import Work
    from loopx.core.foreign.record import ForeignRecord

EVIDENCE = "imported as done"
PUT_ASIDE = "put aside in the source, without a date"
A_DRAFT = "a draft in the source"
_CANCELLED = "cancelled in the source"
_SCOPE_DIGITS = 16  # of the digest that tells the question of one record from that of another


class Maker:
    """Makes todos of the records of one source."""

    def __init__(self, work: Work, source: str, todo_ids: Mapping[str, str]) -> None:
        self.work = work
        self.own_words = OwnWords(work, todo_ids)
        self._source = source
        self._blank = _blank(work)
        self._closed = {
            ForeignState.DONE: self._finished(Closure.NO_FOLLOWUP),
            ForeignState.FAILED: self._finished(Closure.FAILED),
            ForeignState.CANCELLED: self._blank._replace(
                status=Status.DEFERRED,
                closure=Closure.SUPERSEDED,
                closed_at=work.now,
                completion_rationale=work.call.reason or _CANCELLED,
            ),
        }

    def todo(self, record: ForeignRecord, todo_id: str, blocked_by: tuple[str, ...]) -> Todo:
        """The todo of a record that is new here."""
        todo = self._closed.get(record.state, self._blank)
        if record.state in (ForeignState.DEFERRED, ForeignState.DRAFT):
            todo = aside(todo, record)
        if record.question is not None and todo.closure is None:
            todo = todo._replace(route=todo.route._replace(required_decision_scopes=(self.scope_of(record),)))
        todo = todo._replace(
            todo_id=todo_id,
            priority=priority_of(record.text, None) if record.priority is None else record.priority,
            text=record.text,
            blocked_by=blocked_by,
            acceptance=tuple(box.text for box in record.acceptance),
            evidence=(record.evidence or EVIDENCE) if todo.status is Status.DONE else None,
        )
        return todo if record.own is None else self.own_words.applied(todo, record, record.own)

    def gate(self, record: ForeignRecord, todo_id: str) -> Todo:
        """The question of a record that waits for its answer (W6.2).

        It blocks the first agent of a team, because a gate says whom it holds, and by its scope everybody.
        """
        agents = self.work.goal.active_agents
        return self._blank._replace(
            todo_id=self.work.tx.ids.new("todo"),
            role=Role.USER,
            priority=DEFAULT_PRIORITY if record.priority is None else record.priority,
            text=record.question,
            route=self._blank.route._replace(task_class=TaskClass.USER_GATE),
            gate=Gate(
                decision_scope=self.scope_of(record),
                blocks_agent=agents[0].agent_id if agents else None,
                unblocks_todo_id=todo_id,
            ),
        )

    def scope_of(self, record: ForeignRecord) -> str:
        """The decision that the record's question asks for, the same at every import."""
        digest = sha256_hex(f"{self._source}\n{record.source_id}".encode())
        return f"direction:action:import-{digest[:_SCOPE_DIGITS]}"

    def _finished(self, closure: Closure) -> Todo:
        return self._blank._replace(
            status=Status.DONE,
            closure=closure,
            closed_at=self.work.now,
            no_followup=True,
            completion_rationale=self.work.call.reason,
        )


def asks(record: ForeignRecord) -> bool:
    """Whether a person must answer something before this work goes on."""
    return record.question is not None and record.state not in CLOSED_THERE


def aside(todo: Todo, record: ForeignRecord) -> Todo:
    """The todo as deferred work or a draft: asleep until the source's date, or blocked until a person opens it."""
    if record.state is ForeignState.DEFERRED and record.resume_at is not None:
        resume = Resume("at", format_instant(record.resume_at), record.resume_at)
        return todo._replace(status=Status.DEFERRED, resume=resume, block_reason=None)
    reason = A_DRAFT if record.state is ForeignState.DRAFT else PUT_ASIDE
    return todo._replace(status=Status.BLOCKED, resume=None, block_reason=reason)


def _blank(work: Work) -> Todo:
    """A new piece of work before it has an id and a text."""
    return Todo(
        todo_id="",
        sequence=0,
        role=Role.AGENT,
        status=Status.OPEN,
        priority=DEFAULT_PRIORITY,
        text="",
        route=Route(work.goal.goal_id, TaskClass.ADVANCEMENT),
        created_at=work.now,
        updated_at=work.now,
    )
