"""`todo update`: any field of `add`; lineage and status change only through their own verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app import todo_new
from loopx.app.awaiting import resume_of
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.successors import existing_successor
from loopx.app.todo_pause import refuse_new_cycles
from loopx.app.todo_view import todo_answer
from loopx.core.actor import ActorKind
from loopx.core.command import command
from loopx.core.errors import ReasonRequiredError, UsageError
from loopx.core.instant import Duration, parse_instant
from loopx.core.lifecycle import (
    authorise,
    live_owner,
    refuse_ineligible,
    refuse_unless_open,
    refuse_without_token,
    user_decision_required,
)
from loopx.core.repository import parse_repository
from loopx.core.scope import parse_decision_scope
from loopx.core.text import checked_text, parse_priority, tagged_priority, with_priority_tag
from loopx.core.todo import (
    CLASSES_OF_ROLE,
    Closure,
    ContinuationPolicy,
    Gate,
    Polling,
    Resume,
    Route,
    Status,
    TaskClass,
    Todo,
)
from loopx.core.value import Value
from loopx.store.todos import id_prefix

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project


class ListPatch(Value):
    """How a list changes: emptied first, then added to, then taken from."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    clear: bool = False

    def applied(
        self,
        present: tuple[str, ...],
        canonical: Callable[[tuple[str, ...]], tuple[str, ...]],
        canonical_gone: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None,
    ) -> tuple[str, ...]:
        """The list after the patch; what is added or removed is first brought to its one spelling."""
        if not (self.add or self.remove or self.clear):
            return present
        gone = set((canonical_gone or canonical)(self.remove))
        kept = () if self.clear else present
        return tuple(value for value in todo_new.unique((*kept, *canonical(self.add))) if value not in gone)


NO_PATCH = ListPatch()


class TodoPatch(Value):
    """What `todo update` takes; None leaves a field as it is, `clear` empties the named ones."""

    text: str | None = None
    priority: str | None = None
    task_class: TaskClass | None = None
    action_kind: str | None = None
    target_capability: str | None = None
    continuation_policy: ContinuationPolicy | None = None
    blocked_by: ListPatch = NO_PATCH
    required_capabilities: ListPatch = NO_PATCH
    required_write_scopes: ListPatch = NO_PATCH
    required_decision_scopes: ListPatch = NO_PATCH
    excluded_agents: ListPatch = NO_PATCH
    acceptance: ListPatch = NO_PATCH
    task_repository: str | None = None
    bound_agent: str | None = None
    decision_scope: str | None = None
    blocks_agent: str | None = None
    global_gate: bool | None = None
    unblocks_todo_id: str | None = None
    poll_every: Duration | None = None
    next_due_at: str | None = None
    expires_at: str | None = None
    validation_argv: tuple[str, ...] | None = None
    validation_timeout: Duration | None = None
    resume_when: str | None = None
    no_followup: bool = False
    successor_ids: tuple[str, ...] = ()
    clear: frozenset[str] = frozenset()

    @property
    def settles_gap(self) -> bool:
        """Whether it says what follows a done todo."""
        return self.no_followup or bool(self.successor_ids)

    @property
    def changed_names(self) -> frozenset[str]:
        """The fields that the patch touches."""
        empty = TodoPatch()
        return frozenset(name for name in self._fields if getattr(self, name) != getattr(empty, name))


_REACH = frozenset(("task_class", "blocks_agent", "global_gate"))  # what mends an incomplete gate (W6.3)


def update_todo(project: Project, call: Call, todo_id: str, patch: TodoPatch) -> Document:
    """Change fields of a todo, or settle the gap that a done one left (W10.1).

    UserDecisionRequiredError where an agent would weaken a gate or drop a required decision.
    """

    def change(work: Work) -> Outcome:
        todo = work.tx.todo(todo_new.todo_in_goal(work, todo_id))
        after = _settled(work, todo, patch) if todo.status is Status.DONE else patched_todo(work, todo, patch)
        if not patch.changed_names:
            raise UsageError("nothing is to be changed", hint="`loopx todo update --help` lists the fields.")
        saved = work.tx.save(todo, after)
        return Outcome(todo_answer(work, saved), todo.todo_id, next_command=command("todo", "show", todo.todo_id))

    mends = bool(patch.blocked_by.remove or patch.blocked_by.clear)
    return mutate(project, call._replace(mends_graph=mends), change)


def _settled(work: Work, todo: Todo, patch: TodoPatch) -> Todo:
    """A done todo takes only what follows it, with a reason; everything else is `already_done`."""
    if not patch.settles_gap or patch.changed_names - {"no_followup", "successor_ids"}:
        refuse_unless_open(todo)
    if patch.no_followup and patch.successor_ids:
        raise UsageError("--no-follow-up and a successor contradict each other", hint="Leave one of them out.")
    if not work.call.reason:
        raise ReasonRequiredError("settling a done todo needs its reason", hint="Say why with --reason.")
    added = tuple(existing_successor(work, todo, typed) for typed in patch.successor_ids)
    closes = patch.no_followup and todo.closure is Closure.COMPLETED
    return todo._replace(
        successors=todo_new.unique((*todo.successors, *added)),
        no_followup=todo.no_followup or patch.no_followup,
        closure=Closure.NO_FOLLOWUP if closes else todo.closure,
        completion_rationale=work.call.reason,
    )


def patched_todo(work: Work, todo: Todo, patch: TodoPatch) -> Todo:
    """The todo with these fields changed, not stored yet; the refusals of `update_todo`."""
    refuse_unless_open(todo, Status.OPEN, Status.BLOCKED, Status.DEFERRED)
    if patch.settles_gap:
        raise UsageError(
            f"{todo.todo_id} is not done yet",
            hint="Say what follows when you complete it with `loopx todo complete`.",
        )
    hand = work.hand(todo)
    refuse_without_token(todo, hand, work.now)
    authorise(todo, hand, None, work.now)
    if work.actor.kind is ActorKind.AGENT:
        _refuse_weakening(work, todo, patch)
        _refuse_letting_oneself_in(work, todo, patch)
    task_class = _new_class(todo, patch)
    after = todo._replace(
        action_kind=_scalar(patch, "action_kind", todo.action_kind),
        target_capability=_scalar(patch, "target_capability", todo.target_capability),
        continuation_policy=patch.continuation_policy or todo.continuation_policy,
        blocked_by=_patched_edges(work, todo, patch),
        route=_patched_route(work, todo.route, patch, task_class),
        gate=_patched_gate(work, todo, patch, task_class),
        polling=_patched_polling(work, todo, patch, task_class),
        resume=_patched_resume(work, todo, patch, task_class),
        acceptance=patch.acceptance.applied(
            todo.acceptance, lambda texts: tuple(checked_text(text, field="acceptance") for text in texts)
        ),
    )
    after = _patched_validation(_patched_text(after, patch), patch)
    owner = live_owner(after, work.now, work.active_agents)
    if owner is not None:
        refuse_ineligible(after, owner)
    return todo_new.checked_todo(after)


def _refuse_weakening(work: Work, todo: Todo, patch: TodoPatch) -> None:
    """Agents touch a gate only to complete its reach, and never drop a decision that is owed (W6.6, W6.9)."""
    if todo.task_class is TaskClass.USER_GATE and (
        patch.changed_names - _REACH or is_gate_complete(work, todo.gate or Gate())
    ):
        raise user_decision_required(todo, "change a complete gate")
    scopes = patch.required_decision_scopes
    if todo.route.required_decision_scopes and (scopes.clear or scopes.remove):
        raise user_decision_required(todo, "drop a decision that work requires")


def _refuse_letting_oneself_in(work: Work, todo: Todo, patch: TodoPatch) -> None:
    """What keeps an agent out is not lifted by that agent, as long as a peer may do the work (W2.2, W4.4).

    AgentExcludedError, AgentBoundError.
    """
    excluded = patch.excluded_agents
    opens = excluded.remove or excluded.clear or patch.bound_agent is not None or "bound_agent" in patch.clear
    if opens and work.actor.agent_id is not None and any(todo.route.is_open_to(peer) for peer in work.active_agents):
        refuse_ineligible(todo, work.actor.agent_id)


def is_gate_complete(work: Work, gate: Gate) -> bool:
    """Whether the gate says whom it holds; in a one-agent goal it need not (W6.3, W6.7)."""
    if len(work.goal.active_agents) <= 1 or gate.global_gate:
        return True
    return gate.blocks_agent in work.active_agents


def _scalar(patch: TodoPatch, name: str, present: str | None) -> str | None:
    if name in patch.clear:
        return None
    given = getattr(patch, name)
    return present if given is None else todo_new.optional_name(given, name.replace("_", " "))


def _new_class(todo: Todo, patch: TodoPatch) -> TaskClass:
    task_class = patch.task_class or todo.task_class
    if task_class not in CLASSES_OF_ROLE[todo.role]:
        raise UsageError(
            f"role {todo.role} has no {task_class}",
            hint=f"{todo.todo_id} can be: {', '.join(CLASSES_OF_ROLE[todo.role])}.",
        )
    return task_class


def _patched_text(todo: Todo, patch: TodoPatch) -> Todo:
    text = todo.text if patch.text is None else checked_text(patch.text, field="text")
    if patch.priority is not None:
        priority = parse_priority(patch.priority)
        if patch.text is not None and tagged_priority(text) not in (None, priority):
            todo_new.priority_of(text, patch.priority)
        return todo._replace(priority=priority, text=with_priority_tag(text, priority))
    tagged = tagged_priority(text) if patch.text is not None else None
    return todo._replace(text=text, priority=todo.priority if tagged is None else tagged)


def _patched_edges(work: Work, todo: Todo, patch: TodoPatch) -> tuple[str, ...]:
    edges = patch.blocked_by.applied(
        todo.blocked_by,
        lambda typed: todo_new.dependency_ids(work, typed),
        lambda typed: todo_new.unique(edge for name in typed for edge in _named_edges(work, todo, name)),
    )
    refuse_new_cycles(work, todo, edges)
    return edges


def _named_edges(work: Work, todo: Todo, typed: str) -> tuple[str, ...]:
    """The edge that is meant; one that leads nowhere can be removed too, which mends a foreign edit."""
    prefix = id_prefix(typed)
    found = tuple(edge for edge in todo.blocked_by if edge.startswith(prefix))
    return found if len(found) == 1 else todo_new.dependency_ids(work, (typed,))


def _patched_route(work: Work, route: Route, patch: TodoPatch, task_class: TaskClass) -> Route:
    repository = None if "task_repository" in patch.clear else route.task_repository
    bound = None if "bound_agent" in patch.clear else route.bound_agent
    return Route(
        goal_id=route.goal_id,
        task_class=task_class,
        required_capabilities=patch.required_capabilities.applied(
            route.required_capabilities, lambda given: todo_new.names(given, "capability")
        ),
        task_repository=parse_repository(patch.task_repository) if patch.task_repository else repository,
        required_write_scopes=patch.required_write_scopes.applied(route.required_write_scopes, todo_new.write_scopes),
        required_decision_scopes=patch.required_decision_scopes.applied(
            route.required_decision_scopes, todo_new.decision_scopes
        ),
        excluded_agents=patch.excluded_agents.applied(
            route.excluded_agents, lambda given: todo_new.agents(work, given)
        ),
        bound_agent=todo_new.agent(work, patch.bound_agent) or bound,
    )


def _patched_gate(work: Work, todo: Todo, patch: TodoPatch, task_class: TaskClass) -> Gate | None:
    asked = (patch.decision_scope, patch.blocks_agent, patch.global_gate, patch.unblocks_todo_id)
    if task_class is not TaskClass.USER_GATE:
        if any(value is not None for value in asked):
            raise UsageError(f"a {task_class} has no decision scope and no reach", hint="Only a user_gate has.")
        return None
    gate = todo.gate or Gate()
    blocks = None if "blocks_agent" in patch.clear else gate.blocks_agent
    if patch.global_gate:
        blocks = None
    is_global = gate.global_gate if patch.global_gate is None else patch.global_gate
    if patch.blocks_agent is not None:
        todo_new.refuse_double_reach(patch.blocks_agent, bool(patch.global_gate))
        blocks, is_global = todo_new.agent(work, patch.blocks_agent), False
    link = None if "unblocks_todo_id" in patch.clear else gate.unblocks_todo_id
    if patch.unblocks_todo_id is not None:
        link = todo_new.todo_or_replacement(work, patch.unblocks_todo_id)
    if link == todo.todo_id:
        raise UsageError("a gate cannot unblock itself", hint="Name the todo that waits for the answer.")
    scope = None if "decision_scope" in patch.clear else gate.decision_scope
    return gate._replace(
        decision_scope=str(parse_decision_scope(patch.decision_scope)) if patch.decision_scope else scope,
        blocks_agent=blocks,
        global_gate=is_global,
        unblocks_todo_id=link,
    )


def _patched_polling(work: Work, todo: Todo, patch: TodoPatch, task_class: TaskClass) -> Polling | None:
    asked = (patch.poll_every, patch.next_due_at, patch.expires_at)
    if task_class is not TaskClass.MONITOR:
        if any(value is not None for value in asked):
            raise UsageError(f"a {task_class} is not polled", hint="Only a continuous_monitor is.")
        return None
    present = todo.polling
    if present is None and patch.poll_every is None and patch.next_due_at is None:
        raise UsageError("a monitor needs its time", hint="Give --poll-every or --next-due-at.")
    kept = None if "poll_every" in patch.clear or present is None else present.poll_every
    every = patch.poll_every or kept
    due = present.next_due_at if present else work.now + (every or 0)
    expires = None if "expires_at" in patch.clear or present is None else present.expires_at
    return Polling(
        next_due_at=parse_instant(patch.next_due_at, now=work.now) if patch.next_due_at else due,
        poll_every=every,
        consecutive_no_change=present.consecutive_no_change if present else 0,
        expires_at=parse_instant(patch.expires_at, now=work.now) if patch.expires_at else expires,
    )


def _patched_resume(work: Work, todo: Todo, patch: TodoPatch, task_class: TaskClass) -> Resume | None:
    if patch.resume_when is None:
        return todo.resume
    todo_new.refuse_idle_condition(todo.status, task_class)
    return resume_of(work, patch.resume_when, sleeper=todo.todo_id)


def _patched_validation(todo: Todo, patch: TodoPatch) -> Todo:
    if "validation" in patch.clear:
        return todo._replace(validation=None)
    if patch.validation_argv is not None:
        return todo._replace(validation=todo_new.validation_of(patch.validation_argv, patch.validation_timeout))
    if patch.validation_timeout is not None and todo.validation is not None:
        return todo._replace(validation=todo.validation._replace(timeout=patch.validation_timeout))
    return todo
