"""What an export means for a project: what is new, what is newer there, and what counts here.

An exported todo is known by its id. The later `updated_at` wins; what is closed here stays closed, and an
older export changes nothing (docs/decisions/0025-export.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.foreign.record import ForeignRecord, Note
from loopx.core.import_graph import waits_of
from loopx.core.import_plan import Keeping, Step
from loopx.core.resume import ResumeKind
from loopx.core.todo import Closure, Status, Todo
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

WAITS_FOR_NOTHING = "waited for a todo that the export does not hold"


class Exported(Value):
    """A todo of an export and the line where it stands."""

    todo: Todo
    line: int


class Meeting(Value):
    """An exported todo, what is to be done with it, and why what is here counts."""

    exported: Exported
    step: Step
    reason: Keeping | None = None


class RestorePlan(Value):
    """A meeting for each exported todo, in the order of creation; `order` has what is waited for first."""

    meetings: list[Meeting]
    order: list[int]
    notes: list[Note]


def plan_restore(exported: Iterable[Exported], here: Mapping[str, Todo], equal: Container[str]) -> RestorePlan:
    """What shall become of each; `equal` has the ids of which the export says what is here."""
    rows = sorted(exported, key=lambda row: (row.todo.sequence, row.todo.created_at, row.todo.todo_id))
    notes: list[Note] = []
    known = {row.todo.todo_id for row in rows} | here.keys()
    rows = [_connected(row, known, notes) for row in rows]
    waits = waits_of([_node(row) for row in rows], here, nested=False)
    rows = [
        _held(row._replace(todo=row.todo._replace(blocked_by=targets)))
        for row, targets in zip(rows, waits.of, strict=True)
    ]
    meetings = [_meeting(row, here.get(row.todo.todo_id), equal) for row in rows]
    return RestorePlan(meetings, waits.order, notes + waits.notes)


def _node(row: Exported) -> ForeignRecord:
    return ForeignRecord(row.todo.todo_id, "", line=row.line, depends_on=row.todo.blocked_by)


def _held(row: Exported) -> Exported:
    """The todo, open where it is blocked by nothing: a merge may take the last cause away."""
    todo = row.todo
    if todo.status is not Status.BLOCKED or todo.blocked_by or todo.block_reason or todo.resume:
        return row
    return row._replace(todo=todo._replace(status=Status.OPEN))


def _connected(row: Exported, known: Container[str], notes: list[Note]) -> Exported:
    """The todo without references to what is neither in the export nor here."""
    todo = row.todo
    missing = [ref for ref in _references(todo) if ref not in known]
    if not missing:
        return row
    notes += [
        Note("reference_missing", f"{todo.todo_id} names {ref}, which is not there; that was left out", row.line)
        for ref in missing
    ]
    changed = todo._replace(successors=tuple(ref for ref in todo.successors if ref in known))
    if todo.superseded_by in missing:
        changed = changed._replace(superseded_by=None)
    if todo.gate is not None and todo.gate.unblocks_todo_id in missing:
        changed = changed._replace(gate=todo.gate._replace(unblocks_todo_id=None))
    if todo.resume is not None and todo.resume.kind == ResumeKind.TODO_DONE and todo.resume.ref in missing:
        held = todo.status is Status.DEFERRED and todo.closure is None
        changed = changed._replace(
            resume=None,
            status=Status.BLOCKED if held else todo.status,
            block_reason=(todo.block_reason or WAITS_FOR_NOTHING) if held else todo.block_reason,
        )
    return row._replace(todo=changed)


def _references(todo: Todo) -> list[str]:
    """What it names beside its dependencies."""
    named = [*todo.successors, todo.superseded_by, todo.gate.unblocks_todo_id if todo.gate else None]
    if todo.resume is not None and todo.resume.kind == ResumeKind.TODO_DONE:
        named.append(todo.resume.ref)
    return list(dict.fromkeys(ref for ref in named if ref is not None))


def _meeting(row: Exported, here: Todo | None, equal: Container[str]) -> Meeting:
    todo = row.todo
    if here is None:
        return Meeting(row, Step.ADDED)
    if todo.todo_id in equal:
        return Meeting(row, Step.UNCHANGED)
    if todo.updated_at <= here.updated_at:
        return Meeting(row, Step.KEPT, Keeping.OLDER_THERE)
    if here.is_closed and _frees(here.closure) is not _frees(todo.closure):
        return Meeting(row, Step.KEPT, Keeping.CLOSED_HERE)
    completes = todo.is_closed and not here.is_closed
    return Meeting(row, Step.COMPLETED if completes else Step.UPDATED)


def _frees(closure: Closure | None) -> bool | None:
    """Whether it lets go on what waits for it; None while it is open."""
    return None if closure is None else closure in (Closure.COMPLETED, Closure.NO_FOLLOWUP)
