"""What every changing call takes beside its own arguments, and what a todo may be given."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from loopx.app.session import How
from loopx.core.errors import UsageError
from loopx.core.name import near_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from loopx.api.span import Moment, Span
    from loopx.core.todo import ContinuationPolicy, TaskClass

E = TypeVar("E", bound=StrEnum)

Policy = Literal["independent_handoff", "same_agent_non_delivery"]


class Changing(TypedDict, total=False):
    """What every changing call takes.

    `operation_id` makes a retry safe; `dry_run` gives the answer and writes nothing; `full` answers with the
    whole todo; `as_user` lets a person act on held work and needs a `reason`.
    """

    operation_id: str | None
    reason: str | None
    dry_run: bool
    full: bool
    as_user: bool


class Holding(Changing, total=False):
    """The same for calls on work that somebody may hold: the token of its lease, and why a grant is used."""

    claim_token: str | None
    authority_reason: str | None


class TodoFields(TypedDict, total=False):
    """The fields of a todo that `add` and `update` share, in the words of the command line."""

    task_class: TaskClass | str | None
    action_kind: str | None
    priority: str | None
    target_capability: str | None
    task_repository: str | None
    decision_scope: str | None
    blocks_agent: str | None
    global_gate: bool
    unblocks_todo_id: str | None
    bound_agent: str | None
    continuation_policy: ContinuationPolicy | Policy | None
    poll_every: Span | None
    next_due_at: Moment | None
    expires_at: Moment | None
    validation_command: Iterable[str] | None
    validation_timeout: Span | None


class NewFields(TodoFields, total=False):
    """What `add` takes beside the text."""

    status: Literal["open", "deferred", "blocked"]
    blocked_by: Iterable[str]
    required_capabilities: Iterable[str]
    required_write_scopes: Iterable[str]
    required_decision_scopes: Iterable[str]
    excluded_agents: Iterable[str]
    acceptance: Iterable[str]
    resume_when: str | None
    claimed_by: str | None


def told_how(options: Mapping[str, Any]) -> How:
    """The options that a changing call was given; UsageError for one that it does not take."""
    refuse_unknown(options, How._fields)
    return How(**options)


def parted(options: Mapping[str, Any]) -> tuple[dict[str, Any], How]:
    """A call's own arguments, and what it says beside them."""
    own = {name: value for name, value in options.items() if name not in How._fields}
    return own, How(**{name: value for name, value in options.items() if name in How._fields})


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """UsageError with the nearest name: a misspelt argument must not count as none."""
    known = tuple(known)
    for name in given:
        if name not in known:
            near = near_match(name, known)
            raise UsageError(
                f"there is no argument {name!r}{f'; did you mean {near!r}?' if near else ''}",
                hint=f"It is one of {', '.join(known)}.",
            )


def words(given: Iterable[str]) -> tuple[str, ...]:
    """Several texts as a value; UsageError for one text alone, which would be taken letter by letter."""
    if isinstance(given, str):
        raise UsageError(f"{given!r} is one text where several are meant", hint=f"Write [{given!r}].")
    return tuple(given)


def member(kind: type[E], value: E | str) -> E:
    """The member of a closed set that the text means; UsageError with the nearest one."""
    if value in tuple(kind):
        return kind(value)
    near = near_match(str(value), tuple(kind))
    raise UsageError(
        f"{value!r} is not a {kind.__name__}{f'; did you mean {near!r}?' if near else ''}",
        hint=f"It is one of {', '.join(kind)}.",
    )
