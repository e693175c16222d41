"""From keyword arguments to the requests of `add` and `update`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from loopx.api.how import NewFields, TodoFields, member, refuse_unknown, words
from loopx.api.span import microseconds, time_text
from loopx.app.todo_new import NewTodo
from loopx.app.todo_update import ListPatch, TodoPatch
from loopx.core.todo import ContinuationPolicy, Status, TaskClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from loopx.core.todo import Role

LISTS = (
    "blocked_by", "required_capabilities", "required_write_scopes", "required_decision_scopes", "excluded_agents",
    "acceptance",
)  # fmt: skip
CLEARABLE = (
    "action_kind", "target_capability", "task_repository", "bound_agent", "blocks_agent", "unblocks_todo_id",
    "decision_scope", "poll_every", "expires_at", "validation",
)  # fmt: skip
_SPANS = ("poll_every", "validation_timeout")
_MOMENTS = ("next_due_at", "expires_at")
_SETS = {"task_class": TaskClass, "continuation_policy": ContinuationPolicy, "status": Status}


class PatchFields(TodoFields, total=False):
    """What `update` takes beside the lists that it changes."""

    text: str | None
    resume_when: str | None
    no_follow_up: bool
    successor_todo_ids: Iterable[str]


def new_todo(text: str, role: Role, fields: Mapping[str, Any], reason: str | None) -> NewTodo:
    """The request of `add`; UsageError for an unknown field."""
    refuse_unknown(fields, (*TodoFields.__annotations__, *NewFields.__annotations__))
    return NewTodo(text=text, role=role, block_reason=reason, **_given(fields))


def todo_patch(
    fields: Mapping[str, Any],
    add: Mapping[str, Iterable[str]],
    remove: Mapping[str, Iterable[str]],
    clear: Iterable[str],
) -> TodoPatch:
    """The request of `update`; UsageError for an unknown field."""
    empty = frozenset(words(clear))
    refuse_unknown(fields, (*TodoFields.__annotations__, *PatchFields.__annotations__))
    refuse_unknown((*add, *remove), LISTS)
    refuse_unknown(empty, (*LISTS, *CLEARABLE))
    lists: dict[str, Any] = {
        name: ListPatch(words(add.get(name, ())), words(remove.get(name, ())), name in empty)
        for name in {*add, *remove, *(name for name in empty if name in LISTS)}
    }
    given = _given(fields)
    given["no_followup"] = given.pop("no_follow_up", False)
    given["successor_ids"] = given.pop("successor_todo_ids", ())
    return TodoPatch(**given, **lists, clear=empty - set(LISTS))


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something, as the use cases read them."""
    given = {name: _read(name, value) for name, value in fields.items() if value is not None}
    if "validation_command" in given:
        given["validation_argv"] = given.pop("validation_command")
    return given


def _read(name: str, value: Any) -> Any:
    if name in _SPANS:
        return microseconds(value)
    if name in _MOMENTS:
        return time_text(value)
    if name in _SETS:
        return member(_SETS[name], value)
    return words(value) if name in (*LISTS, "validation_command", "successor_todo_ids") else value


class Lists(TypedDict, total=False):
    """Lists of a todo that `update` adds to or takes from."""

    blocked_by: Iterable[str]
    required_capabilities: Iterable[str]
    required_write_scopes: Iterable[str]
    required_decision_scopes: Iterable[str]
    excluded_agents: Iterable[str]
    acceptance: Iterable[str]
