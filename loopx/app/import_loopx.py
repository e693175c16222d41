"""`import --from loopx`: an export becomes what it was made of, here.

Into an empty project everything comes as it left. What is here already is changed only by what was changed
later there, never while somebody holds it, and never past a gate. Only a person may do this: an export
can answer gates and grant authority.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.import_goals import add_missing_goals, differing_goals
from loopx.app.import_read import read_records
from loopx.app.import_records import Settled
from loopx.app.import_report import refusal_of, report
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.registry_edit import change_registry, refuse_agents
from loopx.app.todo_complete import refuse_unclosable
from loopx.app.todo_pause import refuse_new_cycles
from loopx.contracts.export_todo import same_facts
from loopx.core.errors import ConflictError, RefusedError
from loopx.core.foreign.record import ForeignRecord, Note, Reading, Rejection
from loopx.core.import_plan import Keeping, Planned, Seen, Step
from loopx.core.lifecycle import live_owner
from loopx.core.restore_plan import plan_restore
from loopx.core.secret import masked
from loopx.core.todo import TaskClass
from loopx.store.bulk import insert_all
from loopx.store.derived import settle_waiters
from loopx.store.export import add_missing, all_todos

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.import_read import ReadExport
    from loopx.app.import_records import Import
    from loopx.app.project import Project
    from loopx.core.foreign.record import SourceFile
    from loopx.core.restore_plan import Meeting
    from loopx.core.todo import Todo, Validation
    from loopx.registry.document import RegistryDocument

_SEEN = Seen("")  # an export remembers nothing: its ids are ours


def import_export(project: Project, call: Call, file: SourceFile, request: Import) -> Document:
    """Restore what is missing here and take over what is newer there; a dry run only tells.

    UserDecisionRequiredError for an agent; ImportInvalidError for what is no export, and where records cannot
    be taken and are not to be skipped.
    """
    read = read_records(file)
    here = project.read(lambda snapshot: snapshot.registry.goals())
    read = _of_known_goals(read, {goal.goal_id for goal in here})
    request = request._replace(reading=Reading(rejections=read.rejections, notes=read.notes))
    if read.rejections and not (request.skip_invalid or call.dry_run):
        raise refusal_of(request)
    missing = [goal for goal in read.goals if goal.goal_id not in {known.goal_id for known in here}]

    def restore(work: Work) -> Outcome:
        refuse_agents(work, "import an export")
        return _Restore(work, read, request).outcome()

    def edit(work: Work, document: RegistryDocument) -> None:
        refuse_agents(work, "import an export")
        add_missing_goals(document, missing)

    call = call._replace(goal_id=None, needs_active_goal=False)
    return change_registry(project, call, edit, restore) if missing else mutate(project, call, restore)


def _of_known_goals(read: ReadExport, here: set[str]) -> ReadExport:
    """Without todos of goals that are neither in the export nor here."""
    known = here | {goal.goal_id for goal in read.goals}
    homeless = [row for row in read.todos if row.todo.goal_id not in known]
    if not homeless:
        return read
    rejections = [
        Rejection(row.line, "goal_unknown", f"there is no goal {row.todo.goal_id}", row.todo.todo_id)
        for row in homeless
    ]
    return read._replace(
        todos=[row for row in read.todos if row.todo.goal_id in known],
        rejections=tuple(sorted((*read.rejections, *rejections), key=lambda row: row.line or 0)),
    )


class _Restore:
    """One export inside the transaction."""

    def __init__(self, work: Work, read: ReadExport, request: Import) -> None:
        self.work = work
        self.read = read
        self.request = request
        self.here = {todo.todo_id: todo for todo in all_todos(work.tx.db, None)}
        equal = {
            row.todo.todo_id
            for row in read.todos
            if (todo := self.here.get(row.todo.todo_id)) is not None and same_facts(todo, row.todo)
        }
        self.plan = plan_restore(read.todos, self.here, equal)
        self.notes: list[Note] = [*differing_goals(read.goals, work.registry.goals()), *self.plan.notes]

    def outcome(self) -> Outcome:
        """Carry the plan out and tell what came of it."""
        meetings = self.plan.meetings
        new = [meeting.exported.todo for meeting in meetings if meeting.step is Step.ADDED]
        insert_all(self.work.tx, new, progress=self.request.progress)
        settled = {place: self._settled(meetings[place]) for place in self._gates_first()}
        self._add_rows()
        rows = [settled[place] for place in range(len(meetings))]
        return report(self.work, self.request, rows, self.notes, (), goal_id=self._only_goal())

    def _gates_first(self) -> Iterator[int]:
        """What is waited for first, and gates before all, since their answers free work."""
        meetings = self.plan.meetings
        is_gate = [meeting.exported.todo.task_class is TaskClass.USER_GATE for meeting in meetings]
        yield from (place for place in self.plan.order if is_gate[place])
        yield from (place for place in self.plan.order if not is_gate[place])

    def _settled(self, meeting: Meeting) -> Settled:
        todo, line = meeting.exported.todo, meeting.exported.line
        planned = Planned(ForeignRecord(todo.todo_id, todo.text, line=line), meeting.step, _SEEN)
        if meeting.step not in (Step.UPDATED, Step.COMPLETED):
            return Settled(planned, meeting.step, todo.todo_id, meeting.reason)
        reason_code = self._change(todo, completes=meeting.step is Step.COMPLETED)
        return Settled(planned, Step.KEPT if reason_code else meeting.step, todo.todo_id, reason_code)

    def _change(self, there: Todo, *, completes: bool) -> str | None:
        """Take over what the export says of a todo that is here, or the reason why it is kept."""
        here = self.work.tx.todo(there.todo_id)
        self.work.enter_goal(here.goal_id)
        if live_owner(here, self.work.now, self.work.active_agents) is not None:
            return Keeping.HELD_HERE
        try:
            if completes and here.task_class is not TaskClass.USER_GATE:
                refuse_unclosable(self.work, here)
            after = _taken_over(here, there)
            refuse_new_cycles(self.work, here, after.blocked_by)
        except (RefusedError, ConflictError) as exc:
            return exc.code
        self.work.tx.save(here, after)
        return None

    def _add_rows(self) -> None:
        """The small tables: what is missing is added, what is here stays."""
        known = self.here.keys() | {row.todo.todo_id for row in self.read.todos}
        for kind, rows in self.read.rows.items():
            sound = [row for row in rows if row.get("todo_id") is None or row["todo_id"] in known]
            if len(sound) < len(rows):
                self.notes.append(
                    Note("reference_missing", f"{len(rows) - len(sound)} records ({kind}) of todos that are not there")
                )
            add_missing(self.work.tx, kind, sound)
        for row in self.read.rows.get("fact", ()):
            kind, _, ref = row["fact"].partition(":")
            settle_waiters(self.work.tx.db, kind, ref, holds=True)

    def _only_goal(self) -> str | None:
        goals = {row.todo.goal_id for row in self.read.todos} | {goal.goal_id for goal in self.read.goals}
        return goals.pop() if len(goals) == 1 else None


def _taken_over(here: Todo, there: Todo) -> Todo:
    """The todo as the export says it, with what this project counts and holds for itself."""
    return there._replace(
        sequence=here.sequence,
        version=here.version,
        created_at=here.created_at,
        lease=None,
        lease_version=here.lease_version,
        attempts=here.attempts,
        last_holder=here.last_holder,
        claim=there.claim if there.is_closed else here.claim,
        text=_unmasked(here.text, there.text),
        block_reason=_unmasked(here.block_reason, there.block_reason),
        evidence=_unmasked(here.evidence, there.evidence),
        completion_rationale=_unmasked(here.completion_rationale, there.completion_rationale),
        acceptance=_all_unmasked(here.acceptance, there.acceptance),
        validation=_unmasked_command(here, there),
        predecessors=here.predecessors,
    )


def _unmasked(here: Any, there: Any) -> Any:
    """What is here, where the export says the same with marks for what it must not say."""
    return here if here is not None and there is not None and masked(here) == masked(there) else there


def _unmasked_command(here: Todo, there: Todo) -> Validation | None:
    old, new = here.validation, there.validation
    if old is None or new is None:
        return new
    return new._replace(argv=old.argv) if _masked_all(old.argv) == _masked_all(new.argv) else new


def _masked_all(texts: tuple[str, ...]) -> list[str]:
    return [masked(text) for text in texts]


def _all_unmasked(here: tuple[str, ...], there: tuple[str, ...]) -> tuple[str, ...]:
    known = {masked(text): text for text in here}
    return tuple(known.get(masked(text), text) for text in there)
