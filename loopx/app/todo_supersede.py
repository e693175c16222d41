"""`todo supersede`: a change of direction that fakes no completion (W10.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.awaiting import until_done
from loopx.app.held import still_owed
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.successors import Following, add_successors
from loopx.app.todo_new import todo_in_goal, unique
from loopx.app.todo_view import seen
from loopx.contracts.todo_document import id_list
from loopx.core.authority import LifecycleAction
from loopx.core.command import command
from loopx.core.errors import ReasonRequiredError, UsageError
from loopx.core.graph import refuse_cycle
from loopx.core.lifecycle import (
    authorise,
    refuse_agents_on_gates,
    refuse_ineligible,
    refuse_unless_open,
    refuse_without_token,
)
from loopx.core.todo import Closure, Status
from loopx.core.value import Value
from loopx.store.todos import select_todos, waited_for

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.todo import Todo

SUPERSEDE_SCHEMA = "todo_supersede_v1"


class Replacement(Value):
    """What takes the todo's place: a new text, an existing id, or explicitly nothing."""

    text: str | None = None
    successor_id: str | None = None
    none: bool = False


def supersede_todo(project: Project, call: Call, todo_id: str, replacement: Replacement) -> Document:
    """Replace a todo; what waited for it waits for the replacement from the same instant on.

    ReasonRequiredError without a reason, UserDecisionRequiredError for an agent on a gate,
    DependencyCycleError where the replacement waits for one of the dependents,
    ResumeConditionUnsatisfiableError where one that slept until it was done could never wake.
    """

    def change(work: Work) -> Outcome:
        todo = work.tx.todo(todo_in_goal(work, todo_id))
        refuse_unless_open(todo, Status.OPEN, Status.BLOCKED, Status.DEFERRED)
        hand = work.hand(todo)
        refuse_agents_on_gates(todo, hand, "supersede a gate")
        refuse_without_token(todo, hand, work.now)
        use = authorise(todo, hand, LifecycleAction.SUPERSEDE, work.now)
        if work.actor.agent_id is not None:
            refuse_ineligible(todo, work.actor.agent_id)
        _refuse_unsaid(call, replacement)
        new_id = _replacement_id(work, todo, replacement)
        moved = _move_dependents(work, todo, new_id) if new_id else ()
        old = work.tx.save(todo, _superseded(work, todo, new_id))
        body: Document = {
            "schema_version": SUPERSEDE_SCHEMA,
            "ok": True,
            "todo": seen(work, old),
            **id_list("successors", (new_id,) if new_id else ()),
            **id_list("moved_dependents", moved),
        }
        shown = new_id or todo.todo_id
        return Outcome(body, todo.todo_id, authority=use, next_command=command("todo", "show", shown))

    return mutate(project, call, change)


def _refuse_unsaid(call: Call, replacement: Replacement) -> None:
    if not call.reason:
        raise ReasonRequiredError("superseding needs its reason", hint="Say with --reason what changed.")
    said = (replacement.text is not None, replacement.successor_id is not None, replacement.none)
    if sum(said) != 1:
        raise UsageError(
            "superseding names exactly one of a new todo, an existing one, or none",
            hint="Give --next-agent-todo, --successor-todo-id or --no-replacement.",
        )


def _superseded(work: Work, todo: Todo, new_id: str | None) -> Todo:
    return todo._replace(
        status=Status.DEFERRED,
        closure=Closure.SUPERSEDED,
        closed_at=work.now,
        completion_rationale=work.call.reason,
        superseded_by=new_id,
        successors=unique((*todo.successors, *((new_id,) if new_id else ()))),
        resume=None,
        lease=None,
    )


def _replacement_id(work: Work, todo: Todo, replacement: Replacement) -> str | None:
    if replacement.none:
        return None
    texts = (replacement.text,) if replacement.text is not None else ()
    ids = (replacement.successor_id,) if replacement.successor_id is not None else ()
    (new_id,) = add_successors(work, todo, Following(agent_todos=texts, successor_ids=ids))
    _inherit_decision_scopes(work, todo, new_id)
    return new_id


def _inherit_decision_scopes(work: Work, todo: Todo, new_id: str) -> None:
    """A new text does not lift a decision that a person still owes (W6.9); one that was answered no is settled."""
    required = still_owed(work, todo)
    new = work.tx.todo(new_id)
    if required and not new.is_closed:
        scopes = unique((*new.route.required_decision_scopes, *required))
        work.tx.save(new, new._replace(route=new.route._replace(required_decision_scopes=scopes)))


def _move_dependents(work: Work, todo: Todo, new_id: str) -> tuple[str, ...]:
    """Let every waiting todo, gate link and resume condition follow to the replacement."""
    moved = work.tx.dependents(todo.todo_id)
    for dependent_id in moved:
        dependent = work.tx.todo(dependent_id)
        refuse_cycle(dependent_id, new_id, lambda node: waited_for(work.tx.db, node))
        edges = unique(new_id if edge == todo.todo_id else edge for edge in dependent.blocked_by)
        work.tx.save(dependent, dependent._replace(blocked_by=edges))
    for gate in select_todos(work.tx.db, "WHERE t.unblocks_todo_id = ? AND t.closure IS NULL", (todo.todo_id,)):
        assert gate.gate is not None
        link = None if gate.todo_id == new_id else new_id  # a gate that takes the todo's place frees nothing else
        work.tx.save(gate, gate._replace(gate=gate.gate._replace(unblocks_todo_id=link)))
    for waiter in select_todos(work.tx.db, _WAITERS, (todo.todo_id,)):
        work.tx.save(waiter, waiter._replace(resume=until_done(work, new_id, waiter.todo_id)))
    return moved


_WAITERS = "WHERE t.resume_kind = 'todo_done' AND t.resume_ref = ? AND t.closure IS NULL"
