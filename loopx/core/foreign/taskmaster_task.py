"""One task or sub-task of Taskmaster as a record; a sub-task is a part of its task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.foreign.fields import id_of, text_fault, text_of
from loopx.core.foreign.record import AcceptanceBox, ForeignRecord, ForeignState, Rejection
from loopx.core.foreign.record_fields import RecordFields, sectioned
from loopx.core.text import first_line
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.foreign.json_text import JsonObject
    from loopx.core.foreign.oddities import Oddities

_STATES = {
    "pending": ForeignState.OPEN,
    "in-progress": ForeignState.STARTED,
    "done": ForeignState.DONE,
    "completed": ForeignState.DONE,
    "review": ForeignState.OPEN,  # with a question to the person who reviews
    "deferred": ForeignState.DEFERRED,
    "cancelled": ForeignState.CANCELLED,
    "canceled": ForeignState.CANCELLED,
}
_REVIEW, _BLOCKED = "review", "blocked"
_PRIORITIES = {"critical": 0, "high": 1, "medium": 2, "low": 3}
_SECTIONS = (("details", "Details"), ("testStrategy", "Test strategy"))


class Place(Value):
    """Where a task stands: its tag, the id of the task around it, and the ids beside it."""

    tag: str
    parent: str | None
    siblings: frozenset[str]
    is_lost: bool = False  # the task around it cannot be named

    def own(self, name: str) -> str:
        """The id, unique in the tag, of what is called `name` here; `5.2` inside 5 is 2."""
        if self.parent is None or name.startswith(f"{self.parent}."):
            return name
        return f"{self.parent}.{name}"


def source_id(tag: str, name: str) -> str:
    """Ids are unique in their tag alone; a file from before there were tags is the one tag `master`."""
    return f"{tag}:{name}"


class TaskReader:
    """Reads one task after the other; `tasks` are all ids of each tag."""

    def __init__(
        self, tasks: dict[str, frozenset[str]], oddities: Oddities, *, is_tagged: bool, path: str | None
    ) -> None:
        self._tasks = tasks
        self._oddities = oddities
        self._is_tagged = is_tagged
        self._path = path

    def read(self, task: JsonObject, place: Place) -> ForeignRecord | Rejection:
        """The record of a task, without what is inside it; or why it cannot be taken."""
        if task.flaw is not None:
            return Rejection(task.flaw.line, task.flaw.fault, task.flaw.message, path=self._path)
        name = id_of(task.get("id"))
        if name is None or place.is_lost:
            fault = "the task has no id that can be used" if name is None else "the task around it has no id"
            return Rejection(task.line, "id_missing", fault, path=self._path)
        own = place.own(name)
        fields = RecordFields(task, self._oddities, task.line)
        fields.skip("id")
        text = text_of(fields.text("title"), sectioned(fields, "description", _SECTIONS))
        fault_of_text = text_fault(text)
        if fault_of_text is not None:
            return Rejection(task.line, *fault_of_text, source_id=source_id(place.tag, own), path=self._path)
        return self._record(fields, place, own, text)

    def _record(self, fields: RecordFields, place: Place, own: str, text: str) -> ForeignRecord:
        depends_on = self._depends_on(fields, place)
        state, is_review = _state(fields, is_held=bool(depends_on))
        if not isinstance(fields.raw("subtasks"), list):
            fields.keep("subtasks")
        return ForeignRecord(
            source_id=source_id(place.tag, own),
            text=text,
            state=state,
            line=fields.line,
            path=self._path,
            priority=_priority(fields),
            depends_on=depends_on,
            parent=None if place.parent is None else source_id(place.tag, place.parent),
            labels=(place.tag,) if self._is_tagged and place.tag.strip() else (),
            updated_at=fields.instant("updatedAt"),
            question=f"Review of task {own}: may it be closed? {first_line(text)}" if is_review else None,
            acceptance=tuple(AcceptanceBox(box.strip()) for box in fields.texts("acceptanceCriteria") if box.strip()),
            extra=fields.extra(),
        )

    def _depends_on(self, fields: RecordFields, place: Place) -> tuple[str, ...]:
        given = fields.raw("dependencies")
        if given is None:
            return ()
        found = [self._target(one, place) for one in (given if isinstance(given, list) else [given])]
        if None in found:
            fields.see("dependency_malformed", "a dependency is no id; the list is kept as it is")
            fields.keep("dependencies")
        return tuple(dict.fromkeys(source_id(place.tag, target) for target in found if target is not None))

    def _target(self, given: object, place: Place) -> str | None:
        """The id that a dependency means.

        A bare number inside a task is a sibling where there is one, else a task; a text is a whole id
        where there is one (`5`, `5.2`), else a sibling.
        """
        name = id_of(given)
        if name is None or place.parent is None:
            return name
        is_sibling = place.own(name) in place.siblings
        is_whole = name in self._tasks[place.tag]
        if isinstance(given, str):
            return name if is_whole or not is_sibling else place.own(name)
        return place.own(name) if is_sibling or not is_whole else name


def _state(fields: RecordFields, *, is_held: bool) -> tuple[ForeignState, bool]:
    """What the status means here, and whether a person is to review the work."""
    given = fields.raw("status")
    if given is None:
        fields.see("status_missing", "a task has no status; it is taken as pending")
        return ForeignState.OPEN, False
    status = given.strip().lower().replace("_", "-").replace(" ", "-") if isinstance(given, str) else ""
    if status in _STATES:
        return _STATES[status], status == _REVIEW
    if status == _BLOCKED:
        return _blocked(fields, is_held=is_held), False
    fields.unknown("status", "it is taken as pending and kept beside the todo")
    return ForeignState.OPEN, False


def _blocked(fields: RecordFields, *, is_held: bool) -> ForeignState:
    """Held by its dependencies like any other; without one only a person knows what it waits for."""
    if is_held:
        return ForeignState.OPEN
    fields.see("blocked_by_nothing", "a task is blocked by nothing that is named; it stays blocked until it is opened")
    fields.keep("status")
    return ForeignState.DEFERRED


def _priority(fields: RecordFields) -> int | None:
    given = fields.raw("priority")
    if given is None:
        return None
    priority = _PRIORITIES.get(given.strip().lower()) if isinstance(given, str) else None
    if priority is None:
        fields.unknown("priority", "the todo gets the usual one")
    return priority
