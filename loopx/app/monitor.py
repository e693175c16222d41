"""`monitor poll`: what one read-only look at the outside found (W7.5, W10.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.successors import Following, add_successors, refuse_contradiction
from loopx.app.todo_new import checked_todo, todo_in_goal
from loopx.app.todo_view import seen
from loopx.contracts.todo_document import id_list
from loopx.core.command import command
from loopx.core.errors import EvidenceRequiredError, MonitorNotDueError, TodoInvalidError, UsageError
from loopx.core.instant import HOUR, Duration, format_instant, parse_instant
from loopx.core.lifecycle import (
    authorise,
    refuse_ineligible,
    refuse_unless_open,
    refuse_unmovable,
    refuse_without_token,
)
from loopx.core.text import checked_text
from loopx.core.todo import Polling, Status, TaskClass, Todo
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.app.project import Project

POLL_SCHEMA = "monitor_poll_v1"
AGAIN_AFTER: Duration = HOUR  # a monitor that was given one time only, and has to be asked again


class Poll(Value):
    """What a poll found, and what follows from a change."""

    changed: bool
    evidence: str | None = None
    next_due_at: str | None = None
    following: Following = Following()


def poll_monitor(project: Project, call: Call, todo_id: str, poll: Poll) -> Document:
    """Record a poll: only this monitor's own counter and clock change.

    MonitorNotDueError for `no_change` before it is due; a change is always welcome.
    """

    def change(work: Work) -> Outcome:
        todo = work.tx.todo(todo_in_goal(work, todo_id))
        polling = _pollable(work, todo, poll)
        refuse_contradiction(poll.following)
        successors = add_successors(work, todo, poll.following)
        for successor_id in successors:
            _wake(work, work.tx.todo(successor_id))
        after = work.tx.save(
            todo,
            todo._replace(
                polling=_after(work, polling, poll),
                evidence=poll.evidence,
                successors=tuple(dict.fromkeys((*todo.successors, *successors))),
            ),
        )
        body: Document = {
            "schema_version": POLL_SCHEMA,
            "ok": True,
            "todo": seen(work, after),
            "consecutive_no_change": after.polling.consecutive_no_change if after.polling else 0,
            "next_due_at": format_instant(after.polling.next_due_at) if after.polling else None,
            **id_list("successors", successors),
        }
        return Outcome(body, todo.todo_id, next_command=command("todo", "show", todo.todo_id))

    return mutate(project, call, change)


def _pollable(work: Work, todo: Todo, poll: Poll) -> Polling:
    if todo.task_class is not TaskClass.MONITOR or todo.polling is None:
        raise TodoInvalidError(
            f"{todo.todo_id} is a {todo.task_class}, not a monitor",
            hint="`loopx todo list --task-class continuous_monitor` shows the monitors.",
            todo_id=todo.todo_id,
        )
    refuse_unless_open(todo)
    hand = work.hand(todo)
    refuse_without_token(todo, hand, work.now)
    authorise(todo, hand, None, work.now)
    if work.actor.agent_id is not None:
        refuse_ineligible(todo, work.actor.agent_id)
    _refuse_incomplete(work, todo, todo.polling, poll)
    return todo.polling


def _refuse_incomplete(work: Work, todo: Todo, polling: Polling, poll: Poll) -> None:
    if poll.evidence is None:
        raise EvidenceRequiredError(
            "a poll states what was seen",
            hint="Say with --evidence what you looked at.",
            todo_id=todo.todo_id,
        )
    checked_text(poll.evidence, field="evidence")
    if not poll.changed and poll.following.is_named:
        raise UsageError("nothing follows from no change", hint="Say --result changed, or name no successor.")
    if not poll.changed and work.now < polling.next_due_at:
        raise MonitorNotDueError(
            f"{todo.todo_id} is due at {format_instant(polling.next_due_at)}",
            hint="Wait until then; a change may be recorded at any time.",
            todo_id=todo.todo_id,
            next_due_at=format_instant(polling.next_due_at),
        )


def _after(work: Work, polling: Polling, poll: Poll) -> Polling:
    """The monitor's next look: its counter rises without a change and starts anew with one."""
    due = work.now + (polling.poll_every or AGAIN_AFTER)
    if poll.next_due_at is not None:
        due = parse_instant(poll.next_due_at, now=work.now)
    return polling._replace(
        next_due_at=due,
        consecutive_no_change=0 if poll.changed else polling.consecutive_no_change + 1,
    )


def _wake(work: Work, successor: Todo) -> None:
    """The change is what an existing successor was put aside for; what may not be reopened is not woken."""
    if successor.status is not Status.OPEN:
        hand = work.hand(successor)._replace(token=None)  # the call's token is the monitor's
        refuse_unmovable(successor, Status.OPEN, hand, work.now, "reopen a gate")
        awake = successor._replace(status=Status.OPEN, resume=None, block_reason=None)
        work.tx.save(successor, checked_todo(awake))
