"""From what a caller typed to a todo that may be stored: every check at entry (W1, W6.1, W10.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.awaiting import latest, resume_of
from loopx.app.mutation import refuse_teammate
from loopx.app.project import registered_agent
from loopx.core.actor import ActorKind
from loopx.core.errors import (
    DependencyMissingError,
    ReasonRequiredError,
    ResumeConditionInvalidError,
    UsageError,
    UserDecisionRequiredError,
)
from loopx.core.instant import Duration, parse_instant
from loopx.core.lifecycle import refuse_ineligible
from loopx.core.name import normalise_name
from loopx.core.repository import parse_repository
from loopx.core.scope import ANY_KEY, parse_decision_scope
from loopx.core.text import checked_text, parse_priority, tagged_priority
from loopx.core.todo import (
    CLASSES_OF_ROLE,
    DEFAULT_CLASS,
    DEFAULT_PRIORITY,
    STALE_AFTER,
    Claim,
    ContinuationPolicy,
    Gate,
    Polling,
    Role,
    Route,
    Status,
    TaskClass,
    Todo,
    Validation,
)
from loopx.core.value import Value
from loopx.store.todos import resolve_todo_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.app.mutation import Work

VALIDATION_TIMEOUT: Duration = 10 * 60 * 1_000_000  # ten minutes, where none is given


class NewTodo(Value):
    """What `todo add` takes; the texts are still as typed."""

    text: str
    role: Role = Role.AGENT
    task_class: TaskClass | None = None
    action_kind: str | None = None
    priority: str | None = None
    status: Status = Status.OPEN
    blocked_by: tuple[str, ...] = ()
    required_capabilities: tuple[str, ...] = ()
    target_capability: str | None = None
    task_repository: str | None = None
    required_write_scopes: tuple[str, ...] = ()
    required_decision_scopes: tuple[str, ...] = ()
    decision_scope: str | None = None
    blocks_agent: str | None = None
    global_gate: bool = False
    unblocks_todo_id: str | None = None
    excluded_agents: tuple[str, ...] = ()
    bound_agent: str | None = None
    continuation_policy: ContinuationPolicy = ContinuationPolicy.INDEPENDENT_HANDOFF
    resume_when: str | None = None
    block_reason: str | None = None
    poll_every: Duration | None = None
    next_due_at: str | None = None
    expires_at: str | None = None
    claimed_by: str | None = None
    acceptance: tuple[str, ...] = ()
    validation_argv: tuple[str, ...] | None = None
    validation_timeout: Duration | None = None


def build_todo(work: Work, new: NewTodo) -> Todo:
    """The todo that the request means; nothing is stored yet. UsageError and the refusals of its parts.

    RoleNotAllowedError for a teammate, whichever verb would add it.
    """
    refuse_teammate(work.call, "todo_added")
    task_class = new.task_class or DEFAULT_CLASS[new.role]
    _refuse_misfit(new, task_class)
    text = checked_text(new.text, field="text")
    todo = Todo(
        todo_id=work.tx.ids.new("todo"),
        sequence=0,
        role=new.role,
        status=new.status,
        priority=priority_of(text, new.priority),
        text=text,
        route=build_route(work, new, task_class),
        created_at=work.now,
        updated_at=work.now,
        action_kind=optional_name(new.action_kind, "action kind"),
        target_capability=optional_name(new.target_capability, "capability"),
        continuation_policy=new.continuation_policy,
        claim=_first_claim(work, new),
        blocked_by=dependency_ids(work, new.blocked_by),
        block_reason=new.block_reason,
        resume=resume_of(work, new.resume_when),
        gate=_gate_of(work, new, task_class),
        polling=_polling_of(work, new, task_class),
        acceptance=tuple(checked_text(text, field="acceptance") for text in new.acceptance),
        validation=validation_of(new.validation_argv, new.validation_timeout),
    )
    if todo.claim is not None:
        refuse_ineligible(todo, todo.claim.agent_id)
    return checked_todo(todo)


def checked_todo(todo: Todo) -> Todo:
    """The todo, if its status and class have what they need to end one day (W10.5, hardening: one-way door)."""
    if todo.status is Status.DEFERRED and todo.resume is None:
        raise ResumeConditionInvalidError(
            "a deferred todo needs a condition that wakes it",
            hint="Give --resume-when, such as todo_done:ID, pr_merged:REF or in:2h.",
        )
    if todo.status is Status.BLOCKED and not (todo.block_reason or todo.blocked_by or todo.resume):
        raise ReasonRequiredError("a blocked todo needs its cause", hint="Give --reason or --blocked-by.")
    if todo.task_class is TaskClass.BLOCKER and not (todo.block_reason or todo.resume):
        raise ReasonRequiredError(
            "a blocker needs its fact or the condition that ends it", hint="Give --reason or --resume-when."
        )
    if todo.route.bound_agent is not None and todo.route.bound_agent in todo.route.excluded_agents:
        raise UsageError(
            f"{todo.route.bound_agent} is both bound to it and excluded from it, so nobody could ever do it",
            hint="Bind another agent, or do not exclude this one.",
        )
    if todo.claim is not None and todo.claim.agent_id in todo.route.excluded_agents:
        refuse_ineligible(todo, todo.claim.agent_id)
    return todo


def _refuse_misfit(new: NewTodo, task_class: TaskClass) -> None:
    if task_class not in CLASSES_OF_ROLE[new.role]:
        fitting = ", ".join(CLASSES_OF_ROLE[new.role])
        raise UsageError(f"role {new.role} has no {task_class}", hint=f"With --role {new.role} use one of: {fitting}.")
    if new.status is Status.DONE:
        raise UsageError("a new todo is not done", hint="Add it, then complete it with evidence.")
    if new.resume_when is not None:
        refuse_idle_condition(new.status, task_class)
    gate_only = (new.decision_scope, new.blocks_agent, new.unblocks_todo_id, new.global_gate or None)
    if task_class is not TaskClass.USER_GATE and any(gate_only):
        raise UsageError(
            f"a {task_class} decides nothing: decision scope, blocked agent, global gate and unblocked todo"
            " belong to a user_gate",
            hint="Use --role user --task-class user_gate.",
        )
    monitor_only = (new.poll_every, new.next_due_at, new.expires_at)
    if task_class is not TaskClass.MONITOR and any(monitor_only):
        raise UsageError(
            f"a {task_class} is not polled: --poll-every, --next-due-at and --expires-at belong to a monitor",
            hint="Use --task-class continuous_monitor.",
        )


def refuse_idle_condition(status: Status, task_class: TaskClass) -> None:
    """UsageError for a resume condition that would be stored and wake nothing."""
    if status is Status.OPEN and task_class is not TaskClass.BLOCKER:
        raise UsageError(
            "an open todo waits for no condition", hint="Add it with --status deferred, or use `loopx todo defer`."
        )


def priority_of(text: str, option: str | None) -> int:
    """The priority of the `[Pn]` tag or the option, P2 without either; they must not contradict (W1.5)."""
    tagged = tagged_priority(text)
    if option is None:
        return DEFAULT_PRIORITY if tagged is None else tagged
    given = parse_priority(option)
    if tagged not in (None, given):
        raise UsageError(
            f"the text says [P{tagged}] and the option says P{given}",
            hint="Leave one of them out, or make them equal.",
        )
    return given


def build_route(work: Work, new: NewTodo, task_class: TaskClass) -> Route:
    """The routing fields, each in its canonical spelling."""
    return Route(
        goal_id=work.goal.goal_id,
        task_class=task_class,
        required_capabilities=names(new.required_capabilities, "capability"),
        task_repository=parse_repository(new.task_repository) if new.task_repository else None,
        required_write_scopes=write_scopes(new.required_write_scopes),
        required_decision_scopes=decision_scopes(new.required_decision_scopes),
        excluded_agents=agents(work, new.excluded_agents),
        bound_agent=agent(work, new.bound_agent),
    )


def _gate_of(work: Work, new: NewTodo, task_class: TaskClass) -> Gate | None:
    if task_class is not TaskClass.USER_GATE:
        return None
    refuse_double_reach(new.blocks_agent, new.global_gate)
    return Gate(
        decision_scope=_scope_of_gate(work, new),
        blocks_agent=agent(work, new.blocks_agent),
        global_gate=new.global_gate,
        unblocks_todo_id=todo_or_replacement(work, new.unblocks_todo_id) if new.unblocks_todo_id else None,
    )


def _scope_of_gate(work: Work, new: NewTodo) -> str | None:
    """What the gate decides. `*` covers any key only where a person wrote it (design.md §4).

    UserDecisionRequiredError for an agent, except where it asks for the `*` that the linked todo requires: the
    answer then frees that todo alone.
    """
    if new.decision_scope is None:
        return None
    scope = parse_decision_scope(new.decision_scope)
    if scope.key == ANY_KEY and work.actor.kind is ActorKind.AGENT and str(scope) not in _owed_by_link(work, new):
        raise UserDecisionRequiredError(
            f"only a person may write a gate that decides every key ({scope})",
            hint="Name the one key that is asked for, or ask the user to add the gate.",
            value=str(scope),
        )
    return str(scope)


def _owed_by_link(work: Work, new: NewTodo) -> tuple[str, ...]:
    if new.unblocks_todo_id is None:
        return ()
    return work.tx.todo(todo_or_replacement(work, new.unblocks_todo_id)).route.required_decision_scopes


def refuse_double_reach(blocks_agent: str | None, global_gate: bool) -> None:
    """A gate holds one agent or all of them, not both."""
    if blocks_agent and global_gate:
        raise UsageError("a gate holds one agent or everybody", hint="Give --blocks-agent or --global-gate, not both.")


def _polling_of(work: Work, new: NewTodo, task_class: TaskClass) -> Polling | None:
    if task_class is not TaskClass.MONITOR:
        return None
    if new.poll_every is None and new.next_due_at is None:
        raise UsageError("a monitor needs its time", hint="Give --poll-every or --next-due-at.")
    due = parse_instant(new.next_due_at, now=work.now) if new.next_due_at else work.now + (new.poll_every or 0)
    expires = parse_instant(new.expires_at, now=work.now) if new.expires_at else None
    return Polling(next_due_at=due, poll_every=new.poll_every, expires_at=expires)


def _first_claim(work: Work, new: NewTodo) -> Claim | None:
    holder = agent(work, new.claimed_by)
    if holder is None:
        return None
    if new.role is Role.USER:
        raise UsageError("a person's todo is not claimed by an agent", hint="Leave --claimed-by out.")
    return Claim(holder, work.now, work.now + STALE_AFTER)


def validation_of(argv: tuple[str, ...] | None, timeout: Duration | None) -> Validation | None:
    """The command that must pass before completion."""
    if argv is None:
        if timeout is not None:
            raise UsageError("--validation-timeout needs a command", hint="Give --validation-command too.")
        return None
    return Validation(argv, timeout or VALIDATION_TIMEOUT)


def dependency_ids(work: Work, typed: Iterable[str]) -> tuple[str, ...]:
    """Full ids in declared order, each once, of what has replaced a superseded one; DependencyMissingError."""
    from loopx.core.errors import TodoNotFoundError

    found: list[str] = []
    for name in typed:
        try:
            found.append(todo_or_replacement(work, name))
        except TodoNotFoundError as exc:
            raise DependencyMissingError(
                f"{name!r} is no todo of {work.goal.goal_id}",
                hint="`loopx todo list` shows the ids.",
                todo_id=name,
            ) from exc
    return unique(found)


def todo_or_replacement(work: Work, typed: str) -> str:
    """`todo_in_goal`, or what has taken that todo's place: a new link to a superseded todo would hold nothing."""
    return latest(work, work.tx.todo(todo_in_goal(work, typed))).todo_id


def todo_in_goal(work: Work, typed: str) -> str:
    """The full id of a todo of the call's goal; where no goal is named, of any, and the call is then about its goal.

    TodoNotFoundError, UsageError where several fit.
    """
    if work.must_find_goal:
        todo_id = resolve_todo_id(work.tx.db, typed)
        work.enter_goal(work.tx.todo(todo_id).goal_id)
        return todo_id
    return resolve_todo_id(work.tx.db, typed, goal_id=work.goal.goal_id)


def agent(work: Work, name: str | None) -> str | None:
    """The registered agent of that name; AgentNotRegisteredError with the near match."""
    return None if name is None else registered_agent(work.goal, normalise_name(name, what="agent id"))


def agents(work: Work, given: Iterable[str]) -> tuple[str, ...]:
    """Registered agents, each once."""
    return unique(agent(work, name) or "" for name in given)


def names(given: Iterable[str], what: str) -> tuple[str, ...]:
    """Names in their one spelling, each once."""
    return unique(normalise_name(name, what=what) for name in given)


def optional_name(given: str | None, what: str) -> str | None:
    """A name in its one spelling, or none."""
    return None if given is None else normalise_name(given, what=what)


def decision_scopes(given: Iterable[str]) -> tuple[str, ...]:
    """Decision scopes in their canonical spelling, each once."""
    return unique(str(parse_decision_scope(text)) for text in given)


def write_scopes(given: Iterable[str]) -> tuple[str, ...]:
    """Write scopes in their canonical spelling, each once; WriteScopeInvalidError."""
    given = tuple(given)
    if not given:
        return ()
    from loopx.core.glob import normalise_write_scope

    return unique(normalise_write_scope(text) for text in given)


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, at its first place."""
    return tuple(dict.fromkeys(values))
