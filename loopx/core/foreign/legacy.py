"""LoopX of old: the registry as JSON, and the todos of a goal in the Markdown of its active-state file.

A registry is known by its schema, not by the folder's name, which others use too. Its goals, agents and
bounds are a person's to set up anew; they are told, and the todos are taken over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.checklist_line import BoxState, box_of, fence_of, heading_of
from loopx.core.digest import sha256_hex
from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.fields import text_fault
from loopx.core.foreign.json_text import JsonObject, JsonReader
from loopx.core.foreign.legacy_line import Words, comment_fields, record_of_line
from loopx.core.foreign.oddities import Oddities
from loopx.core.foreign.record import Note, Reading, Rejection
from loopx.core.foreign.text_lines import FAULT_MESSAGES, LineFault, text_lines
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loopx.core.checklist_line import Box, Fence
    from loopx.core.foreign.record import ForeignRecord, ReadOptions, SourceFile
    from loopx.core.foreign.text_lines import Line

STATE_FILE = "ACTIVE_GOAL_STATE.md"
_REGISTRY = "registry.json"
_FOLDERS = frozenset((".loopx", ".codex", "goals"))
_SECTIONS = {"user todo": True, "agent todo": False, "completed work": False}  # how they begin; whether for the person
_ID_DIGITS = 16
_NAMES_SHOWN = 20
_BOX_STATES = {BoxState.CANCELLED: BoxState.OPEN}  # a `[-]` of old is told by its comment


def wants(path: str, *, is_folder: bool) -> bool:
    """The registry, and the state files of goals where they lay by default."""
    *folders, name = path.split("/")
    if is_folder:
        return name in _FOLDERS or (bool(folders) and folders[-1] == "goals")
    return name == STATE_FILE or (name == _REGISTRY and folders[-1:] in ([], [".loopx"]))


def read(files: Sequence[SourceFile], options: ReadOptions) -> Reading:
    """The todos of the one goal that is meant: that of the call where several are there.

    ImportInvalidError where several are there and none has its id, and where nothing of the format is.
    """
    registries = [file for file in files if _is_json(file)]
    states = [file for file in files if file not in registries]
    notes: list[Note] = []
    goals = [goal for file in registries for goal in _goals(file, notes, options)]
    if not (states or goals):
        raise ImportInvalidError(
            f"{files[0].path if files else 'the folder'} holds no LoopX registry and no active state",
            hint=f"Name {STATE_FILE}, .loopx/{_REGISTRY} or the folder of the project.",
        )
    chosen = _chosen(states, options)
    reading = Reading() if chosen is None else _State(chosen, options).reading()
    return reading._replace(notes=(*notes, *reading.notes))


_BOM_AND_SPACE = b"\xef\xbb\xbf \t\r\n"


def _is_json(file: SourceFile) -> bool:
    return file.path.endswith(".json") or file.data.lstrip(_BOM_AND_SPACE).startswith(b"{")


def _chosen(states: Sequence[SourceFile], options: ReadOptions) -> SourceFile | None:
    """The state file of the goal that the todos go to."""
    if len(states) < 2:
        return states[0] if states else None
    ids = {_goal_id(file.path): file for file in states}
    if options.goal_id in ids:
        return ids[options.goal_id]
    raise ImportInvalidError(
        f"there are {len(states)} goals ({', '.join(list(ids)[:_NAMES_SHOWN])}) and none is {options.goal_id!r}",
        hint="Name one state file, or make a goal of the same id and import with its --goal-id.",
    )


def _goal_id(path: str) -> str:
    return path.split("/")[-2] if "/" in path else ""


# --- the registry ------------------------------------------------------------------------


def _goals(file: SourceFile, notes: list[Note], options: ReadOptions) -> Iterator[JsonObject]:
    """The goals of a registry; what it says of them is noted."""
    path = file.path if options.in_folder else None
    value = JsonReader(("goals",)).read(file.data.decode("utf-8", "replace").removeprefix("\ufeff"))
    if not _is_registry(value):
        notes.append(Note("not_a_registry", f"{file.path} is no LoopX registry; it was left out", path=path))
        return
    assert isinstance(value, JsonObject)
    goals = value["goals"]
    assert isinstance(goals, list)
    for goal in goals:
        if isinstance(goal, JsonObject) and isinstance(goal.get("id"), str):
            notes.append(Note("registry_goal", _told(goal), goal.line, path))
            yield goal


def _is_registry(value: object) -> bool:
    return (
        isinstance(value, JsonObject)
        and value.flaw is None
        and isinstance(value.get("schema_version"), str)
        and isinstance(value.get("goals"), list)
    )


def _told(goal: JsonObject) -> str:
    """What a person sets up anew of a goal, in one sentence."""
    coordination = goal.get("coordination")
    said = coordination if isinstance(coordination, dict) else {}
    parts = [f"status {goal.get('status')!s}"]
    for name, words in (("registered_agents", "agents"), ("write_scope", "write scope")):
        values = said.get(name)
        if isinstance(values, list) and values:
            parts.append(f"{words} {', '.join(str(value) for value in values[:_NAMES_SHOWN])}")
    return f"the goal {goal['id']} is not set up by an import; it had {'; '.join(parts)}"


# --- the state ---------------------------------------------------------------------------


class _Draft(Value):
    """A box, the section it stands in, its place there, and the text below it."""

    line: int
    box: Box
    section: str
    is_for_user: bool
    at: int
    more: list[str]
    fields: dict[str, str]


class _State:
    """One state file, line by line."""

    def __init__(self, file: SourceFile, options: ReadOptions) -> None:
        self._file = file
        self._path = file.path if options.in_folder else None
        self._drafts: list[_Draft] = []
        self._rejections: list[Rejection] = []
        self._oddities = Oddities(self._path)
        self._section: str | None = None
        self._is_open = False  # whether the next line may belong to the last box
        self._fence: Fence | None = None
        self._ignored = 0

    def reading(self) -> Reading:
        """The todos of the file."""
        for line in text_lines(self._file.data):
            self._take(line)
        records = tuple(record for draft in self._drafts if (record := self._record(draft)) is not None)
        return Reading(records, tuple(self._rejections), self._oddities.notes(), self._ignored)

    def _take(self, line: Line) -> None:
        if line.fault is not None:
            if line.fault is not LineFault.NUL or box_of(line.text):
                self._reject(line.number, str(line.fault), FAULT_MESSAGES[line.fault])
        elif self._fence is not None:
            self._ignored += box_of(line.text) is not None
            self._fence = None if self._fence.is_closed_by(line.text) else self._fence
        elif (fence := fence_of(line.text)) is not None:
            self._fence, self._is_open = fence, False
        elif (heading := heading_of(line.text)) is not None:
            self._section, self._is_open = heading, False
        else:
            self._take_content(line)

    def _take_content(self, line: Line) -> None:
        is_for_user = _is_for_user(self._section or "")
        box = box_of(line.text)
        if box is not None and is_for_user is not None:
            self._open_box(line, box, is_for_user=is_for_user)
        elif box is not None:
            self._ignored += 1
        elif self._is_open:
            self._take_more(line.text)

    def _open_box(self, line: Line, box: Box, *, is_for_user: bool) -> None:
        if box.fault is not None:
            self._reject(line.number, str(box.fault), "this is no box that can be read")
            self._is_open = False
            return
        section = self._section or ""
        at = sum(draft.section == section for draft in self._drafts)
        self._drafts.append(_Draft(line.number, box, section, is_for_user, at, [], {}))
        self._is_open = True

    def _take_more(self, text: str) -> None:
        draft = self._drafts[-1]
        fields = comment_fields(text)
        if fields is not None:
            draft.fields.update(fields)
        elif not text.strip() or text[:1] not in (" ", "\t"):
            self._is_open = False
        else:
            draft.more.append(text.strip())

    def _record(self, draft: _Draft) -> ForeignRecord | None:
        words = Words(draft.fields)
        text = "\n".join((draft.box.text, *draft.more)).strip()
        fault = text_fault(text)
        if fault is not None:
            self._reject(draft.line, *fault)
            return None
        source_id = words.text("todo_id") or _id_of_place(draft, text)
        box = draft.box.state or BoxState.OPEN
        record = record_of_line(
            source_id,
            text,
            _BOX_STATES.get(box, box),
            words,
            is_for_user=draft.is_for_user,
            oddities=self._oddities,
            line=draft.line,
        )
        return record._replace(path=self._path)

    def _reject(self, line: int, reason_code: str, message: str) -> None:
        self._rejections.append(Rejection(line, reason_code, message, path=self._path))


def _is_for_user(section: str) -> bool | None:
    """Whether the section lists the person's todos or the agents'; None for one that lists none."""
    name = section.lower()
    return next((is_user for start, is_user in _SECTIONS.items() if name.startswith(start)), None)


def _id_of_place(draft: _Draft, text: str) -> str:
    """The id of a plain box: of its section, its place in it and its text."""
    place = f"{draft.section}\n{draft.at}\n{text}"
    return f"line_{sha256_hex(place.encode('utf-8'))[:_ID_DIGITS]}"
