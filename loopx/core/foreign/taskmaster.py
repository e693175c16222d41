"""Taskmaster: `tasks.json` in all its shapes, with tags and without, with sub-tasks, ids as numbers and as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.fields import LONGEST_ID, id_of
from loopx.core.foreign.json_file import read_json_document, refuse_flawed
from loopx.core.foreign.json_text import JsonObject
from loopx.core.foreign.oddities import Oddities
from loopx.core.foreign.record import ForeignRecord, Reading, Rejection
from loopx.core.foreign.sniff import Wanted, nothing_found
from loopx.core.foreign.taskmaster_task import Place, TaskReader
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loopx.core.foreign.json_text import Json
    from loopx.core.foreign.record import ReadOptions, SourceFile

FIRST_TAG = "master"
_TASKS, _SUBTASKS = "tasks", "subtasks"
_PATHS = (".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json")  # the newest place first
_FOLDERS = frozenset((".taskmaster", ".taskmaster/tasks", "tasks"))
_WANTED = Wanted("tasks of Taskmaster", "taskmaster")


class _Tag(Value):
    """A list of tasks and its name."""

    name: str
    tasks: list[Json]


class _Task(Value):
    """A task or sub-task and where it stands."""

    value: Json
    place: Place


def wants(path: str, *, is_folder: bool) -> bool:
    """`tasks.json` where Taskmaster keeps it, today and before; never the texts that it derives from it."""
    return path in _FOLDERS if is_folder else path in _PATHS


def read(files: Sequence[SourceFile], options: ReadOptions) -> Reading:
    """The tasks and sub-tasks of every tag; ImportInvalidError where the file is not one JSON value with tasks."""
    if not files:
        raise nothing_found(files, _WANTED)
    file = min(files, key=_rank)
    path = file.path if options.in_folder else None
    document = read_json_document(file, _WANTED, (_TASKS, _SUBTASKS))
    tags = _tags(document) if isinstance(document, JsonObject) else None
    if tags is None:
        raise nothing_found((file,), _WANTED)
    assert isinstance(document, JsonObject)
    _refuse_flawed(file, document, tags)
    oddities = Oddities(path)
    _see_rest(document, oddities)
    for other in files:
        if other is not file:
            oddities.see("file_ignored", f"{other.path} was not read, because {file.path} is newer")
    found = _taken(tags, oddities, is_tagged=_TASKS not in document, path=path)
    records = tuple(row for row in found if isinstance(row, ForeignRecord))
    rejections = tuple(row for row in found if isinstance(row, Rejection))
    return Reading(records, rejections, oddities.notes())


def _rank(file: SourceFile) -> int:
    return _PATHS.index(file.path) if file.path in _PATHS else len(_PATHS)


def _tags(document: JsonObject) -> list[_Tag] | None:
    """The lists of tasks; None where the document has none."""
    tasks = document.get(_TASKS)
    if isinstance(tasks, list):
        return [_Tag(FIRST_TAG, tasks)]
    found = [
        _Tag(name, tasks)
        for name, tag in document.items()
        if isinstance(tag, dict) and isinstance(tasks := tag.get(_TASKS), list)
    ]
    return found or None


def _refuse_flawed(file: SourceFile, document: JsonObject, tags: list[_Tag]) -> None:
    """ImportInvalidError where a key of the document or of a tag stands twice, or where a tag is no name."""
    refuse_flawed(file, document)
    for tag in tags:
        if len(tag.name) > LONGEST_ID:
            raise ImportInvalidError(
                f"{file.path} has a tag of {len(tag.name)} characters; {LONGEST_ID} is the most",
                hint="Give the tag a shorter name.",
            )
        holder = document.get(tag.name)
        if isinstance(holder, JsonObject):
            refuse_flawed(file, holder)


def _see_rest(document: JsonObject, oddities: Oddities) -> None:
    """What the file says of itself is no work."""
    rest = [key for key, value in document.items() if key != _TASKS and not _is_tag(value)]
    if rest and _TASKS in document:
        rest = [key for key in document if key != _TASKS]
    if rest:
        oddities.see("not_work", f"what the file says of itself is not taken over: {', '.join(map(repr, rest[:10]))}")


def _is_tag(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get(_TASKS), list)


def _taken(
    tags: list[_Tag], oddities: Oddities, *, is_tagged: bool, path: str | None
) -> list[ForeignRecord | Rejection]:
    """A record or a rejection for each task and sub-task, in file order."""
    walked = [row for tag in tags for row in _walk(tag)]
    names: dict[str, set[str]] = {tag.name: set() for tag in tags}
    for value, place in walked:
        name = id_of(value.get("id")) if isinstance(value, dict) else None
        if name is not None:
            names[place.tag].add(place.own(name))
    reader = TaskReader({tag: frozenset(ids) for tag, ids in names.items()}, oddities, is_tagged=is_tagged, path=path)
    return [_read_one(reader, value, place, path) for value, place in walked]


def _read_one(reader: TaskReader, value: Json, place: Place, path: str | None) -> ForeignRecord | Rejection:
    if isinstance(value, JsonObject):
        return reader.read(value, place)
    where = f"a sub-task of {place.parent}" if place.parent else "a task"
    return Rejection(None, "no_object", f"{where} of the tag {place.tag} is no JSON object", path=path)


def _walk(tag: _Tag) -> Iterator[_Task]:
    """Every task, each followed by those inside it."""
    left = [_Task(value, Place(tag.name, None, frozenset())) for value in reversed(tag.tasks)]
    while left:
        task = left.pop()
        yield task
        left += reversed(_parts(task))


def _parts(task: _Task) -> list[_Task]:
    """What is directly inside a task that can be named."""
    value, place = task
    inside = value.get(_SUBTASKS) if isinstance(value, dict) else None
    if not isinstance(inside, list) or not isinstance(value, dict):
        return []
    name = id_of(value.get("id"))
    parent = place.own(name) if name is not None else place.parent
    bare = Place(place.tag, parent, frozenset(), is_lost=place.is_lost or name is None)
    names = (id_of(part.get("id")) for part in inside if isinstance(part, dict))
    siblings = frozenset(bare.own(name) for name in names if name is not None)
    return [_Task(part, bare._replace(siblings=siblings)) for part in inside]
