"""A todo as a record of an export, and back: every stored fact but leases, tokens and claims on open work.

What is empty is left out. Instants are RFC 3339, durations whole microseconds, flags true. Credentials and
local paths in texts are masked on the way out; nothing leaves as it would betray its machine (W11.5).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from loopx.contracts.export_field import (
    FieldError,
    flag_field,
    ids_field,
    list_field,
    member_field,
    name_field,
    read_field,
    repository_field,
    scope_field,
    text_field,
    time_field,
    todo_id_field,
    whole_field,
    write_scope_field,
)
from loopx.contracts.record import record_of, todo_of
from loopx.core.instant import format_instant
from loopx.core.secret import masked
from loopx.core.todo import (
    CLASSES_OF_ROLE,
    Closure,
    ContinuationPolicy,
    Role,
    Route,
    Status,
    TaskClass,
    Todo,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopx.contracts.export_file import Record

KIND = "todo"
HOLDINGS = (  # what binds this project's agents now; it never leaves
    "lease_id", "lease_holder", "lease_acquired_at", "lease_expires_at", "claim_token", "lease_repository",
    "lease_write_scopes", "lease_pool",
)  # fmt: skip
CLAIM = ("claimed_by", "claimed_at", "claim_expires_at")  # of closed work: who did it
TEXTS = ("text", "block_reason", "evidence", "completion_rationale", "decision_note")
TEXT_LISTS = ("acceptance", "validation_argv")
_LOCAL = ("sequence", "version", "lease_version", "attempts", "last_holder", "created_at", "updated_at")
_ALWAYS = ("goal_id", "sequence", "role", "task_class", "status", "priority", "created_at", "updated_at", "version")


def export_todo(todo: Todo) -> Record:
    """The record of a todo."""
    found = record_of(todo)
    record: Record = {"kind": KIND, "id": found.pop("todo_id")}
    left_out = HOLDINGS if todo.is_closed else (*HOLDINGS, *CLAIM)
    for name, value in found.items():
        if name not in left_out and (value != _BLANK[name] or name in _ALWAYS):
            record[name] = _outward(name, value)
    return record


def todo_of_export(record: Mapping[str, Any]) -> Todo:
    """The todo of a record. FieldError for what no verb could have made."""
    found = dict(_BLANK)
    found["todo_id"] = todo_id_field(record["id"])
    for name, value in record.items():
        read = _READERS.get(name)
        if read is not None:
            found[name] = read_field(name, read, value)
    for name in _ALWAYS:
        if name not in record:
            raise FieldError(f"{name} is missing")
    for name in HOLDINGS:
        found[name] = _BLANK[name]
    _refuse_impossible(found)
    return todo_of(found)


def same_facts(one: Todo, other: Todo) -> bool:
    """Whether an export says the same of both, but for what is counted in each project by itself."""
    return _counted_apart(one) == _counted_apart(other)


def _counted_apart(todo: Todo) -> Record:
    return {name: value for name, value in export_todo(todo).items() if name not in _LOCAL}


def unknown_fields(record: Mapping[str, Any]) -> list[str]:
    """The fields that this program does not know."""
    return [name for name in record if name not in _READERS and name not in _BESIDE]


def _outward(name: str, value: Any) -> Any:
    if name in _TIMES:
        return format_instant(value)
    if name in _FLAGS:
        return bool(value)
    if name in TEXTS:
        return masked(value)
    if name in TEXT_LISTS:
        return [masked(text) for text in value]
    return value


# --- its fields ---------------------------------------------------------------------------


_READERS: dict[str, Callable[[Any], Any]] = {
    "goal_id": partial(name_field, what="goal id"),
    "sequence": partial(whole_field, least=1),
    "version": partial(whole_field, least=1),
    "role": partial(member_field, of=Role),
    "task_class": partial(member_field, of=TaskClass),
    "status": partial(member_field, of=Status),
    "closure": partial(member_field, of=Closure),
    "continuation_policy": partial(member_field, of=ContinuationPolicy),
    "verdict": partial(member_field, of=Verdict),
    "priority": partial(whole_field, most=4),
    **dict.fromkeys(TEXTS, text_field),
    **dict.fromkeys(TEXT_LISTS, partial(list_field, of=text_field)),
    **dict.fromkeys(("action_kind", "target_capability"), name_field),
    **dict.fromkeys(("last_holder", "claimed_by", "blocks_agent", "bound_agent"), name_field),
    **dict.fromkeys(("required_capabilities", "excluded_agents"), partial(list_field, of=name_field)),
    **dict.fromkeys(("blocked_by", "successors"), ids_field),
    **dict.fromkeys(("superseded_by", "unblocks_todo_id"), todo_id_field),
    **dict.fromkeys(("attempts", "lease_version", "consecutive_no_change"), whole_field),
    **dict.fromkeys(("poll_every", "validation_timeout"), partial(whole_field, least=1)),
    **dict.fromkeys(("no_followup", "global_gate", "standing"), flag_field),
    "task_repository": repository_field,
    "required_write_scopes": partial(list_field, of=write_scope_field),
    "required_decision_scopes": partial(list_field, of=scope_field),
    "decision_scope": scope_field,
    "decided_by": text_field,
    "resume_kind": text_field,
    "resume_ref": text_field,
    **dict.fromkeys(
        ("created_at", "updated_at", "closed_at", "claimed_at", "claim_expires_at", "decided_at", "revoked_at",
         "next_due_at", "monitor_expires_at", "resume_at"),
        time_field,
    ),
}  # fmt: skip
_TIMES = frozenset(name for name, read in _READERS.items() if read is time_field)
_FLAGS = frozenset(name for name, read in _READERS.items() if read is flag_field)
_BESIDE = frozenset(("kind", "id", "field_times"))  # `field_times` is what a merge leaves for the next one

_BLANK = record_of(
    Todo(
        todo_id="",
        sequence=0,
        role=Role.AGENT,
        status=Status.OPEN,
        priority=0,
        text="",
        route=Route("", TaskClass.ADVANCEMENT),
        created_at=0,
        updated_at=0,
    )
)


# --- the whole ---------------------------------------------------------------------------


def _refuse_impossible(found: Record) -> None:
    """FieldError where fields contradict each other: the same rules as the table's own checks."""
    for holds, message in _rules(found):
        if not holds:
            raise FieldError(message)


def _rules(found: Record) -> list[tuple[bool, str]]:
    status, closure, task_class = found["status"], found["closure"], found["task_class"]
    finished = closure in (Closure.COMPLETED, Closure.NO_FOLLOWUP, Closure.FAILED)
    is_gate, is_monitor = task_class == TaskClass.USER_GATE, task_class == TaskClass.MONITOR
    gate_only = ("decision_scope", "blocks_agent", "global_gate", "unblocks_todo_id")
    decision = [found[name] is None for name in ("verdict", "decided_at", "decided_by")]
    claim = [found[name] is None for name in CLAIM]
    resume = found["resume_kind"], found["resume_ref"], found["resume_at"]
    return [
        (bool(found["text"]), "text is missing"),
        (TaskClass(task_class) in CLASSES_OF_ROLE[Role(found["role"])], f"role {found['role']} has no {task_class}"),
        ((status == Status.DONE) == finished, f"status {status} and closure {closure} contradict each other"),
        (closure != Closure.SUPERSEDED or status == Status.DEFERRED, "a superseded todo has the status deferred"),
        ((closure is None) == (found["closed_at"] is None), "closure and closed_at belong together"),
        (
            status != Status.DEFERRED or closure is not None or resume[0] is not None,
            "a deferred todo needs a condition that wakes it",
        ),
        (resume[0] in _RESUME_KINDS, f"{resume[0]!r} is no kind of resume condition"),
        ((resume[0] is None) == (resume[1] is None), "resume_kind and resume_ref belong together"),
        ((resume[0] == "at") == (resume[2] is not None), "resume_at belongs to the condition at"),
        (len(set(decision)) == 1, "verdict, decided_at and decided_by belong together"),
        (decision[0] or (is_gate and status == Status.DONE), "only a gate that is done has a verdict"),
        (is_gate or not any(found[name] for name in gate_only), f"a {task_class} decides nothing"),
        (is_monitor == (found["next_due_at"] is not None), "next_due_at belongs to a monitor, and every one has it"),
        (
            is_monitor or not (found["poll_every"] or found["monitor_expires_at"] or found["consecutive_no_change"]),
            f"a {task_class} is not polled",
        ),
        (len(set(claim)) == 1, "claimed_by, claimed_at and claim_expires_at belong together"),
        (
            (found["validation_argv"] is None) == (found["validation_timeout"] is None),
            "validation_argv and validation_timeout belong together",
        ),
        (found["todo_id"] not in (*found["blocked_by"], *found["successors"]), "it names itself"),
        (
            found["bound_agent"] is None or found["bound_agent"] not in found["excluded_agents"],
            "one agent is both bound and excluded",
        ),
    ]


_RESUME_KINDS = (None, "todo_done", "pr_merged", "capacity_available", "at")
