"""Fields in our own words of a foreign record: checked as `todo add` checks them, and left out where they cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from loopx.app.todo_new import agent, agents, decision_scopes, names, optional_name, write_scopes
from loopx.core.errors import LoopxError
from loopx.core.foreign.record import Note
from loopx.core.scope import parse_decision_scope
from loopx.core.todo import (
    CLASSES_OF_ROLE,
    DEFAULT_CLASS,
    ContinuationPolicy,
    Gate,
    Polling,
    Role,
    Status,
    TaskClass,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopx.app.mutation import Work
    from loopx.core.foreign.record import ForeignRecord, OwnFields
    from loopx.core.todo import Route, Todo

T = TypeVar("T")
_NONE: tuple[str, ...] = ()


class OwnWords:
    """Reads the own fields of one record after the other; what was left out is in `notes`."""

    def __init__(self, work: Work, todo_ids: Mapping[str, str]) -> None:
        self.notes: list[Note] = []
        self._work = work
        self._todo_ids = todo_ids
        self._record: ForeignRecord | None = None

    def applied(self, todo: Todo, record: ForeignRecord, own: OwnFields) -> Todo:
        """The todo with what its record says in our words."""
        self._record = record
        role = Role.USER if own.is_for_user else Role.AGENT
        task_class = self._class(own, role)
        return todo._replace(
            role=role,
            route=self._route(todo, own, task_class),
            action_kind=self._tried(lambda: optional_name(own.action_kind, "action kind"), None),
            continuation_policy=self._policy(own),
            gate=self._gate(own) if task_class is TaskClass.USER_GATE else None,
            polling=self._polling(own) if task_class is TaskClass.MONITOR else None,
            block_reason=own.block_reason if todo.status is Status.BLOCKED and own.block_reason else todo.block_reason,
            successors=tuple(self._named(own.successors, todo.todo_id)),
        )

    def _class(self, own: OwnFields, role: Role) -> TaskClass:
        """The class, where it belongs to the role and has what it needs."""
        default = DEFAULT_CLASS[role]
        given = self._tried(lambda: TaskClass(own.task_class or default), default)
        if given not in CLASSES_OF_ROLE[role]:
            self._note("class_misfit", f"role {role} has no {given}")
            return default
        if given is TaskClass.MONITOR and own.next_due_at is None and own.poll_every is None:
            self._note("monitor_timeless", "a monitor needs its time")
            return default
        if given is TaskClass.BLOCKER and not own.block_reason:
            self._note("blocker_unstated", "a blocker needs its fact")
            return default
        return given

    def _route(self, todo: Todo, own: OwnFields, task_class: TaskClass) -> Route:
        work = self._work
        excluded = self._tried(lambda: agents(work, own.excluded_agents), _NONE)
        bound = self._tried(lambda: agent(work, own.bound_agent), None)
        return todo.route._replace(
            task_class=task_class,
            required_capabilities=self._tried(lambda: names(own.required_capabilities, "capability"), _NONE),
            required_write_scopes=self._tried(lambda: write_scopes(own.required_write_scopes), _NONE),
            required_decision_scopes=self._tried(lambda: decision_scopes(own.required_decision_scopes), _NONE),
            excluded_agents=excluded,
            bound_agent=None if bound in excluded else bound,
        )

    def _policy(self, own: OwnFields) -> ContinuationPolicy:
        default = ContinuationPolicy.INDEPENDENT_HANDOFF
        return self._tried(lambda: ContinuationPolicy(own.continuation_policy or default), default)

    def _gate(self, own: OwnFields) -> Gate:
        scope = self._tried(lambda: str(parse_decision_scope(own.decision_scope)) if own.decision_scope else None, None)
        blocks = None if own.is_global_gate else self._tried(lambda: agent(self._work, own.blocks_agent), None)
        linked = next(iter(self._named((own.unblocks,) if own.unblocks else (), "")), None)
        return Gate(scope, blocks, own.is_global_gate, linked)

    def _polling(self, own: OwnFields) -> Polling:
        due = own.next_due_at if own.next_due_at is not None else self._work.now + (own.poll_every or 0)
        return Polling(next_due_at=due, poll_every=own.poll_every)

    def _named(self, source_ids: tuple[str, ...], itself: str) -> list[str]:
        """The todos of other records of the source."""
        found = []
        for source_id in source_ids:
            todo_id = self._todo_ids.get(source_id)
            if todo_id is None:
                self._note("reference_missing", f"{source_id} is not there")
            elif todo_id != itself and todo_id not in found:
                found.append(todo_id)
        return found

    def _tried(self, read: Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except LoopxError as exc:
            self._note(exc.code, exc.message)
        except ValueError as exc:
            self._note("value_unknown", str(exc))
        return otherwise

    def _note(self, reason_code: str, message: str) -> None:
        record = self._record
        assert record is not None
        text = f"{record.source_id}: {message}; that was left out"
        self.notes.append(Note(reason_code, text, record.line, record.path))
