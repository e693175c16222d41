"""`import --from …`: records of another tool become todos, and a later look at them an update.

All of it is one transaction with one event. Nothing is finished, edited or taken from anybody that
the verbs would not: what they refuse is kept as it is and listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.import_new import A_DRAFT, EVIDENCE, PUT_ASIDE, Maker, aside, asks
from loopx.app.import_report import refusal_of, report
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.successors import Following
from loopx.app.todo_complete import Completion, close_unproven, refuse_unclosable
from loopx.app.todo_new import checked_todo
from loopx.app.todo_update import NO_PATCH, ListPatch, TodoPatch, patched_todo
from loopx.core.errors import ConflictError, RefusedError
from loopx.core.foreign.kept import read_kept
from loopx.core.foreign.record import ForeignState, Reading
from loopx.core.import_plan import Keeping, Known, Planned, Seen, Step, plan_import
from loopx.core.lifecycle import live_owner
from loopx.core.resume import ResumeKind
from loopx.core.todo import Status
from loopx.core.value import Value
from loopx.store.bulk import insert_all
from loopx.store.origins import Origin, OriginRow, read_origins, write_origins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.app.project import Project
    from loopx.core.foreign.record import ForeignRecord
    from loopx.core.todo import Todo

_ASIDE = (ForeignState.DEFERRED, ForeignState.DRAFT)


class Import(Value):
    """What shall be imported: under which name it is known again, what was read of it, and how.

    With `nested` an open record waits for those inside it. `progress` is told how many new todos are
    stored, of how many.
    """

    kind: str
    source: str
    reading: Reading = Reading()
    nested: bool = False
    skip_invalid: bool = False
    progress: Callable[[int, int], None] | None = None


class Settled(Value):
    """What became of a record: its todo if it has one, and why that was kept as it is."""

    planned: Planned
    step: Step
    todo_id: str | None
    reason_code: str | None = None


def import_records(project: Project, call: Call, request: Import) -> Document:
    """Add what is new, update what changed, complete what was finished; a dry run only tells.

    The call names its goal, under which the event is kept.
    ImportInvalidError where lines cannot be taken and are not to be skipped; nothing is written then.
    """
    if request.reading.rejections and not (request.skip_invalid or call.dry_run):
        raise refusal_of(request)
    return mutate(project, call, lambda work: _Import(work, request).outcome())


class _Import:
    """One import inside the transaction."""

    def __init__(self, work: Work, request: Import) -> None:
        self.work = work
        self.request = request
        self.goal_id = work.goal.goal_id
        self.source = f"{request.kind}:{request.source}"
        self.rows = {row.origin.source_id: row for row in read_origins(work.tx.db, self.goal_id, self.source)}
        known = {source_id: _known(row) for source_id, row in self.rows.items()}
        self.plan = plan_import(request.reading.records, known, nested=request.nested)
        self.todo_ids = {source_id: old.todo_id for source_id, old in known.items()}
        new = [planned.record.source_id for planned in self.plan.planned if planned.step is Step.ADDED]
        # In order they come to lie beside each other in every index; they are no less random for it.
        self.todo_ids |= zip(new, sorted(work.tx.ids.new("todo") for _ in new), strict=True)
        self.maker = Maker(work, self.source, self.todo_ids)

    def outcome(self) -> Outcome:
        """Carry the plan out and tell what came of it."""
        insert_all(self.work.tx, list(self._new_todos()), progress=self.request.progress)
        # What is waited for is finished before what waits for it.
        settled = {place: self._settle(self.plan.planned[place]) for place in self.plan.order}
        in_file_order = [settled[place] for place in range(len(settled))]
        remembered = {source_id: row.origin for source_id, row in self.rows.items()}
        write_origins(self.work.tx, self.goal_id, self.source, _origins(in_file_order), remembered)
        notes = (*self.plan.notes, *self.maker.own_words.notes)
        return report(self.work, self.request, in_file_order, notes, list(self._gone()), goal_id=self.goal_id)

    # --- what is new ------------------------------------------------------------------------

    def _new_todos(self) -> Iterator[Todo]:
        """The todo of each new record, followed by the gate of its question."""
        for planned in self.plan.planned:
            if planned.step is Step.ADDED:
                record = planned.record
                todo_id = self.todo_ids[record.source_id]
                yield self.maker.todo(record, todo_id, self._linked(planned.links))
                if record.question is not None and asks(record):
                    yield self.maker.gate(record, todo_id)

    def _linked(self, source_ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.todo_ids[source_id] for source_id in source_ids if source_id in self.todo_ids)

    # --- what is known ----------------------------------------------------------------------

    def _settle(self, planned: Planned) -> Settled:
        todo_id = self.todo_ids.get(planned.record.source_id)
        if todo_id is None or planned.step not in (Step.UPDATED, Step.COMPLETED):
            return Settled(planned, planned.step, todo_id, planned.reason)
        reason_code = self._change(planned, self.work.tx.todo(todo_id))
        return Settled(planned, Step.KEPT if reason_code else planned.step, todo_id, reason_code)

    def _change(self, planned: Planned, todo: Todo) -> str | None:
        """Take over what the record says now, or the reason why the todo is kept as it is."""
        completes = planned.step is Step.COMPLETED
        if todo.is_closed:
            return None  # only what is kept beside it changes
        if live_owner(todo, self.work.now, self.work.active_agents) is not None:
            return Keeping.HELD_HERE
        if completes and todo.validation is not None:
            return Keeping.VALIDATION_REQUIRED
        try:
            if completes:
                refuse_unclosable(self.work, todo)
            changed = _moved(patched_todo(self.work, todo, self._patch(planned, todo)), planned)
        except (RefusedError, ConflictError) as exc:
            return exc.code
        saved = self.work.tx.save(todo, changed)
        if completes:
            close_unproven(self.work, saved, _completion(planned.record))
        elif self._asks_anew(planned):
            self.work.tx.insert(self.maker.gate(planned.record, todo.todo_id))
        return None

    def _patch(self, planned: Planned, todo: Todo) -> TodoPatch:
        record = planned.record
        links = () if planned.step is Step.COMPLETED else self._linked(planned.links)
        gone = tuple(edge for edge in self._linked(planned.unlinks) if edge in todo.blocked_by)
        scopes = (self.maker.scope_of(record),) if self._asks_anew(planned) else ()
        return TodoPatch(
            text=None if record.text == todo.text else record.text,
            priority=None if record.priority in (None, todo.priority) else f"P{record.priority}",
            blocked_by=ListPatch(add=links, remove=gone),
            acceptance=_new_acceptance(planned),
            required_decision_scopes=ListPatch(add=scopes),
        )

    def _asks_anew(self, planned: Planned) -> bool:
        known = planned.known
        return asks(planned.record) and known is not None and read_kept(known.kept).question is None

    def _gone(self) -> Iterator[OriginRow]:
        """What is open here and not in the source any more."""
        reading = self.request.reading
        there = {record.source_id for record in reading.records} | {row.source_id for row in reading.rejections}
        return (row for source_id, row in self.rows.items() if source_id not in there and not row.is_closed)


def _origins(settled: list[Settled]) -> Iterator[Origin]:
    """What the source says of each record that was taken over, where that is news."""
    for row in settled:
        planned = row.planned
        if row.todo_id is not None and row.step is not Step.KEPT and planned.is_news:
            yield Origin(planned.record.source_id, row.todo_id, str(planned.seen), planned.kept)


def _known(row: OriginRow) -> Known:
    origin = row.origin
    return Known(
        origin.todo_id, row.text, row.is_closed, Seen.read(origin.seen), row.priority, row.updated_at, origin.kept
    )


def _completion(record: ForeignRecord) -> Completion:
    return Completion(
        evidence=record.evidence or EVIDENCE,
        failed=record.state is ForeignState.FAILED,
        following=Following(no_followup=True),
    )


def _new_acceptance(planned: Planned) -> ListPatch:
    """The criteria that the source names anew, and those that it names no longer."""
    said = read_kept(planned.known.kept).acceptance if planned.known else ()
    now = tuple(box.text for box in planned.record.acceptance)
    if said == now:
        return NO_PATCH
    return ListPatch(
        add=tuple(text for text in now if text not in said), remove=tuple(text for text in said if text not in now)
    )


def _moved(todo: Todo, planned: Planned) -> Todo:
    """The todo put aside or taken up again as its source says, where that is news and nobody here did else."""
    before, now = planned.known.seen.state if planned.known else None, planned.seen.state
    if now in _ASIDE and (todo.status is Status.OPEN or _is_aside_by_import(todo)):
        return checked_todo(aside(todo, planned.record)) if planned.is_news else todo
    if before in _ASIDE and now is ForeignState.OPEN and _is_aside_by_import(todo):
        return todo._replace(status=Status.OPEN, resume=None, block_reason=None)
    return todo


def _is_aside_by_import(todo: Todo) -> bool:
    if todo.status is Status.BLOCKED:
        return todo.block_reason in (PUT_ASIDE, A_DRAFT)
    return todo.status is Status.DEFERRED and todo.resume is not None and todo.resume.kind == ResumeKind.AT
