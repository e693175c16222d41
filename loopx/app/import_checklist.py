"""`import --from checklist`: a Markdown checklist becomes todos, and a later one an update of them.

All of it is one transaction with one event. Nothing is finished, edited or taken from anybody that
the verbs would not: what they refuse is kept as it is and listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.import_report import report, row_of_rejection
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.successors import Following
from loopx.app.todo_complete import Completion, close_unproven, refuse_unclosable
from loopx.app.todo_new import priority_of
from loopx.app.todo_update import ListPatch, TodoPatch, patched_todo
from loopx.core.errors import ConflictError, ImportInvalidError, RefusedError
from loopx.core.import_plan import Keeping, Known, Planned, Seen, Step, plan_import
from loopx.core.lifecycle import live_owner
from loopx.core.todo import DEFAULT_PRIORITY, Closure, Role, Route, Status, TaskClass, Todo
from loopx.core.value import Value
from loopx.store.bulk import insert_all
from loopx.store.origins import Origin, OriginRow, read_origins, write_origins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopx.app.project import Project
    from loopx.core.checklist import Checklist, Rejection
    from loopx.core.instant import Instant

EVIDENCE = "imported as done"
_KIND = "checklist"
_SHOWN = 50  # rejected lines that a refusal lists
_TICKED = Completion(evidence=EVIDENCE, following=Following(no_followup=True))


class ChecklistImport(Value):
    """What shall be imported: the file under the name by which it is known again, and how.

    With `nested` an open item waits for the items inside it. `progress` is told how many new todos are
    stored, of how many.
    """

    checklist: Checklist
    source: str
    nested: bool = False
    skip_invalid: bool = False
    progress: Callable[[int, int], None] | None = None


class Settled(Value):
    """What became of an item: its todo if it has one, and why that was kept as it is."""

    planned: Planned
    step: Step
    todo_id: str | None
    reason_code: str | None = None


def import_checklist(project: Project, call: Call, request: ChecklistImport) -> Document:
    """Add what is new, update what changed, complete what was ticked; a dry run only tells.

    ImportInvalidError where lines cannot be taken and are not to be skipped; nothing is written then.
    """
    rejections = request.checklist.rejections
    if rejections and not (request.skip_invalid or call.dry_run):
        raise _refusal(request.source, rejections)
    goal_id = project.read(lambda snapshot: snapshot.registry.goal(call.goal_id).goal_id)
    return mutate(project, call._replace(goal_id=goal_id), lambda work: _Import(work, request).outcome())


def _refusal(source: str, rejections: tuple[Rejection, ...]) -> ImportInvalidError:
    first = rejections[0]
    return ImportInvalidError(
        f"{source}, line {first.line}: {first.message} (lines that cannot be taken: {len(rejections)})",
        hint="Mend them, or leave them out with --skip-invalid; --dry-run lists what would be written.",
        rejected=[row_of_rejection(rejection) for rejection in rejections[:_SHOWN]],
        rejected_total=len(rejections),
    )


class _Import:
    """One import inside the transaction."""

    def __init__(self, work: Work, request: ChecklistImport) -> None:
        self.work = work
        self.request = request
        self.goal_id = work.goal.goal_id
        self.source = f"{_KIND}:{request.source}"
        self.rows = {row.origin.source_id: row for row in read_origins(work.tx.db, self.goal_id, self.source)}
        known = {source_id: _known(row) for source_id, row in self.rows.items()}
        self.plan = plan_import(request.checklist.items, known, nested=request.nested)
        self.todo_ids = [self._todo_id(planned) for planned in self.plan]

    def outcome(self) -> Outcome:
        """Carry the plan out and tell what came of it."""
        insert_all(self.work.tx, self._new_todos(), progress=self.request.progress)
        # From the last line up: what is inside an item is finished before the item that waits for it.
        settled = [self._settle(place) for place in reversed(range(len(self.plan)))][::-1]
        said_before = {source_id: row.origin.seen for source_id, row in self.rows.items()}
        write_origins(self.work.tx, self.goal_id, self.source, self._origins(settled), said_before)
        return report(self.work, self.request, settled, list(self._gone()))

    # --- what is new ------------------------------------------------------------------------

    def _todo_id(self, planned: Planned) -> str | None:
        if planned.known is not None:
            return planned.known.todo_id
        return self.work.tx.ids.new("todo") if planned.step is Step.ADDED else None

    def _new_todos(self) -> list[Todo]:
        blank = _blank(self.goal_id, self.work.now)
        ticked = blank._replace(
            status=Status.DONE,
            closure=Closure.NO_FOLLOWUP,
            closed_at=self.work.now,
            no_followup=True,
            evidence=EVIDENCE,
            completion_rationale=self.work.call.reason,
        )
        return [
            (ticked if planned.seen.done else blank)._replace(
                todo_id=self.todo_ids[place] or "",
                priority=priority_of(planned.item.text, None),
                text=planned.item.text,
                blocked_by=self._linked(planned),
            )
            for place, planned in enumerate(self.plan)
            if planned.step is Step.ADDED
        ]

    def _linked(self, planned: Planned) -> tuple[str, ...]:
        return tuple(todo_id for place in planned.links if (todo_id := self.todo_ids[place]) is not None)

    # --- what is known ----------------------------------------------------------------------

    def _settle(self, place: int) -> Settled:
        planned, todo_id = self.plan[place], self.todo_ids[place]
        if todo_id is None or planned.step not in (Step.UPDATED, Step.COMPLETED):
            return Settled(planned, planned.step, todo_id, planned.kept)
        reason_code = self._change(planned, self.work.tx.todo(todo_id))
        return Settled(planned, Step.KEPT if reason_code else planned.step, todo_id, reason_code)

    def _change(self, planned: Planned, todo: Todo) -> str | None:
        """Take over what the item says now, or the reason why the todo is kept as it is."""
        completes = planned.step is Step.COMPLETED
        if live_owner(todo, self.work.now, self.work.active_agents) is not None:
            return Keeping.HELD_HERE
        if completes and todo.validation is not None:
            return Keeping.VALIDATION_REQUIRED
        try:
            if completes:
                refuse_unclosable(self.work, todo)
            patched = patched_todo(self.work, todo, self._patch(planned, todo))
        except (RefusedError, ConflictError) as exc:
            return exc.code
        saved = self.work.tx.save(todo, patched)
        if completes:
            close_unproven(self.work, saved, _TICKED)
        return None

    def _patch(self, planned: Planned, todo: Todo) -> TodoPatch:
        text = planned.item.text
        links = () if planned.step is Step.COMPLETED else self._linked(planned)
        return TodoPatch(text=None if text == todo.text else text, blocked_by=ListPatch(add=links))

    # --- what is remembered -----------------------------------------------------------------

    def _origins(self, settled: list[Settled]) -> Iterator[Origin]:
        """What the file says of each item that was taken over, where that is news."""
        for row in settled:
            source_id, seen = row.planned.item.source_id, str(row.planned.seen)
            old = self.rows.get(source_id)
            if row.todo_id is None or row.step is Step.KEPT or (old and old.origin.seen == seen):
                continue
            yield Origin(source_id, row.todo_id, seen)

    def _gone(self) -> Iterator[OriginRow]:
        """What is open here and not in the file any more."""
        checklist = self.request.checklist
        there = {item.source_id for item in checklist.items} | {row.source_id for row in checklist.rejections}
        return (row for source_id, row in self.rows.items() if source_id not in there and not row.is_closed)


def _blank(goal_id: str, now: Instant) -> Todo:
    """A new piece of work before it has an id and a text."""
    return Todo(
        todo_id="",
        sequence=0,
        role=Role.AGENT,
        status=Status.OPEN,
        priority=DEFAULT_PRIORITY,
        text="",
        route=Route(goal_id, TaskClass.ADVANCEMENT),
        created_at=now,
        updated_at=now,
    )


def _known(row: OriginRow) -> Known:
    return Known(row.origin.todo_id, row.text, row.is_closed, Seen.read(row.origin.seen))
