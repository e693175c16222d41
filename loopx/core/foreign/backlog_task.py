"""One task of Backlog.md as a record: its front matter, its folder and its text decide together."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from loopx.core.foreign.backlog_body import read_body
from loopx.core.foreign.fields import text_fault, text_of
from loopx.core.foreign.record import ForeignRecord, ForeignState, Rejection
from loopx.core.foreign.record_fields import RecordFields
from loopx.core.text import first_line
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.core.foreign.oddities import Oddities

_STATES = {
    "to do": ForeignState.OPEN,
    "todo": ForeignState.OPEN,
    "open": ForeignState.OPEN,
    "backlog": ForeignState.OPEN,
    "in progress": ForeignState.STARTED,
    "doing": ForeignState.STARTED,
    "review": ForeignState.OPEN,  # with a question to the person who reviews
    "in review": ForeignState.OPEN,
    "blocked": ForeignState.OPEN,  # by its dependencies; without one it is put aside
    "done": ForeignState.DONE,
    "completed": ForeignState.DONE,
    "closed": ForeignState.DONE,
    "won't do": ForeignState.CANCELLED,
    "wont do": ForeignState.CANCELLED,
    "won't fix": ForeignState.CANCELLED,
    "cancelled": ForeignState.CANCELLED,
    "canceled": ForeignState.CANCELLED,
    "deferred": ForeignState.DEFERRED,
    "draft": ForeignState.DRAFT,
}
_REVIEW, _BLOCKED = ("review", "in review"), "blocked"
_PRIORITIES = {"critical": 0, "high": 1, "medium": 2, "low": 3}
_ID = re.compile(r"(?:([a-z][a-z0-9_]{0,40})-)?(\d{1,9}(?:\.\d{1,9}){0,8})", re.IGNORECASE)
_FILE_NAME = re.compile(r"([a-z][a-z0-9_]{0,40}-\d{1,9}(?:\.\d{1,9}){0,8})(?: *- *(.*))?\.md", re.IGNORECASE)
DEFAULT_PREFIX = "task"


class Folder(StrEnum):
    """Where a file lies, which says more than its status."""

    TASKS = "tasks"
    COMPLETED = "completed"
    DRAFTS = "drafts"
    ARCHIVE = "archive"


class Config(Value):
    """What the project's configuration says: its prefix, and its statuses from the first to the finished one."""

    prefix: str = DEFAULT_PREFIX
    statuses: tuple[str, ...] = ()

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Config:
        """From the fields of `config.yml`; what is not text does not count."""
        prefix, statuses = config.get("task_prefix"), config.get("statuses")
        listed = statuses if isinstance(statuses, list) else ()
        return cls(
            prefix.strip().lower() if isinstance(prefix, str) and prefix.strip() else DEFAULT_PREFIX,
            tuple(status.strip().lower() for status in listed if isinstance(status, str)),
        )

    def state_of(self, status: str) -> ForeignState | None:
        """What a status means that is the project's own: the last is finished, the first is open."""
        if status not in self.statuses:
            return None
        place = self.statuses.index(status)
        if place == len(self.statuses) - 1:
            return ForeignState.DONE
        return ForeignState.STARTED if place else ForeignState.OPEN


class TaskFile(Value):
    """A file with front matter, taken apart."""

    path: str
    folder: Folder
    front: Mapping[str, Any]
    body: Sequence[str]


def task_id(text: str, prefix: str) -> str | None:
    """The one spelling of an id: lower case, no padding, with a prefix; None for what is no id."""
    found = _ID.fullmatch(text.strip())
    if found is None:
        return None
    numbers = ".".join(str(int(number)) for number in found[2].split("."))
    return f"{(found[1] or prefix).lower()}-{numbers}"


def named_task(path: str) -> tuple[str, str] | None:
    """Id and title that a file's name says; None where it is no name of a task."""
    found = _FILE_NAME.fullmatch(path.rpartition("/")[2])
    return (found[1], (found[2] or "").replace("-", " ").strip()) if found else None


def read_task(file: TaskFile, config: Config, oddities: Oddities, *, shows_path: bool) -> ForeignRecord | Rejection:
    """The record of a task file, or why it cannot be taken."""
    place = file.path if shows_path else None
    fields = RecordFields(file.front, oddities, 1, place)
    named_id, named_title = named_task(file.path) or ("", "")
    written = fields.text("id")
    source_id = task_id(written or named_id, config.prefix)
    if source_id is None:
        return Rejection(1, "id_missing", f"{file.path} has no id that can be used", path=place)
    if named_id and written and task_id(named_id, config.prefix) != source_id:
        fields.see("id_disagrees", "the id in the file is not the one in its name; the one in the file counts")
    body = read_body(file.body)
    text = text_of(fields.text("title") or named_title, body.text)
    fault = text_fault(text)
    if fault is not None:
        return Rejection(1, *fault, source_id=source_id, path=place)
    return _record(source_id, text, file, config, fields)._replace(acceptance=body.boxes)


def _record(source_id: str, text: str, file: TaskFile, config: Config, fields: RecordFields) -> ForeignRecord:
    own_prefix = source_id.rpartition("-")[0]
    prefix = config.prefix if file.folder is Folder.DRAFTS else own_prefix
    depends_on = _ids("dependencies", fields, prefix)
    parents = _ids("parent_task_id", fields, prefix)
    state, is_review = _state(file.folder, config, fields, is_held=bool(depends_on))
    assignees = tuple(name.strip().removeprefix("@") for name in fields.texts("assignee") if name.strip())
    if len(assignees) > 1:
        fields.keep("assignee")
    return ForeignRecord(
        source_id=source_id,
        text=text,
        state=state,
        line=1,
        path=fields.path,
        priority=_priority(fields),
        depends_on=depends_on,
        parent=parents[0] if parents else None,
        labels=fields.texts("labels"),
        assignee=assignees[0] if assignees else None,
        created_at=fields.instant("created_date"),
        updated_at=fields.instant("updated_date"),
        closed_at=fields.instant("completed_date"),
        question=f"Review of {source_id}: may it be closed? {first_line(text)}" if is_review else None,
        extra=fields.extra(),
    )


def _ids(name: str, fields: RecordFields, prefix: str) -> tuple[str, ...]:
    """The ids of a field, in one spelling, a bare number with `prefix`; what is none is kept."""
    given = fields.texts(name)
    texts = given[0].split(",") if len(given) == 1 else given
    found = [task_id(text, prefix) for text in texts if text.strip()]
    if None in found:
        fields.see("dependency_malformed", f"{name} holds what is no id; it is kept as it is")
        fields.keep(name)
    return tuple(dict.fromkeys(target for target in found if target is not None))


def _priority(fields: RecordFields) -> int | None:
    given = fields.text("priority").strip().lower()
    if given and given not in _PRIORITIES:
        fields.unknown("priority", "the todo gets the usual one")
    return _PRIORITIES.get(given)


# --- state -------------------------------------------------------------------------------


def _state(folder: Folder, config: Config, fields: RecordFields, *, is_held: bool) -> tuple[ForeignState, bool]:
    """What folder and status say together, and whether a person is to review the work."""
    status = " ".join(fields.text("status").lower().split())
    said = _said(status, config, fields)
    if folder is Folder.COMPLETED:
        return _finished(said, fields), False
    if folder is Folder.ARCHIVE:
        return (said if said is ForeignState.DONE else ForeignState.CANCELLED), False
    if folder is Folder.DRAFTS:
        if said in (ForeignState.DONE, ForeignState.STARTED, ForeignState.CANCELLED):
            fields.see("folder_disagrees", f"a draft has the status {status!r}; it is taken as a draft")
        return ForeignState.DRAFT, False
    if status == _BLOCKED and not is_held:
        fields.see(
            "blocked_by_nothing", "a task is blocked by nothing that is named; it stays blocked until it is opened"
        )
        return ForeignState.DEFERRED, False
    return said, status in _REVIEW


def _said(status: str, config: Config, fields: RecordFields) -> ForeignState:
    """What the status alone means."""
    state = _STATES.get(status) or config.state_of(status)
    if state is not None:
        return state
    if status:
        fields.unknown("status", "it is taken as open and kept beside the todo")
    else:
        fields.see("status_missing", "a task has no status; it is taken as open")
    return ForeignState.OPEN


def _finished(said: ForeignState, fields: RecordFields) -> ForeignState:
    """A task among the completed ones is done, unless it says that it never will be."""
    if said is ForeignState.CANCELLED:
        return said
    if said is not ForeignState.DONE:
        fields.see(
            "folder_disagrees", f"a completed task has the status {fields.text('status')!r}; it is taken as done"
        )
    return ForeignState.DONE
