"""beads: `issues.jsonl` with an issue a line, its Rust port, and its backup, which is split by tables.

A line that is deleted there (`tombstone`, or a line of `deletions.jsonl`) keeps its id from coming back. Lines
of `_type: memory` are no work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.foreign.beads_edges import EdgeReader
from loopx.core.foreign.beads_issue import IssueReader
from loopx.core.foreign.fields import id_of, instant_of
from loopx.core.foreign.json_file import read_json_lines
from loopx.core.foreign.oddities import Oddities, shown
from loopx.core.foreign.record import ForeignRecord, ForeignState, Reading, Rejection
from loopx.core.foreign.sniff import Wanted, nothing_found, what_it_is

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.foreign.json_text import Json, JsonObject
    from loopx.core.foreign.record import ReadOptions, SourceFile

    _Rows = dict[str, dict[str, list[Json]]]  # field -> issue -> rows

_MAIN = ("issues.jsonl", "beads.jsonl", "bd.jsonl")  # today's name, then the older ones
_DELETIONS = "deletions.jsonl"
_DEPENDENCIES, _COMMENTS, _LABELS = "dependencies.jsonl", "comments.jsonl", "labels.jsonl"
_HISTORY = ("config.jsonl", "events.jsonl")  # no work
_FOLDER = ".beads"
_NO_DAMAGE = frozenset(("not_json", "no_object"))
_OWNER = {_DEPENDENCIES: "dependencies", _COMMENTS: "comments", _LABELS: "labels"}  # tables of a backup, by field
_SIGNS = frozenset(("title", "status", "issue_type", "priority"))  # an issue has one of them beside its id
_WANTED = Wanted("issues of beads, one JSON object a line", "beads")


def wants(path: str, *, is_folder: bool) -> bool:
    """`.beads` below a project; of the named folder its own files, as a backup is a folder by itself."""
    folder, _, name = path.rpartition("/")
    if is_folder:
        return path == _FOLDER
    return folder in ("", _FOLDER) and name in (*_MAIN, _DELETIONS, *_OWNER, *_HISTORY)


def read(files: Sequence[SourceFile], options: ReadOptions) -> Reading:
    """The issues of one export or of one backup; ImportInvalidError where there is none."""
    return _Beads(files, options).reading()


class _Beads:
    """One read of a file, or of the files of a folder."""

    def __init__(self, files: Sequence[SourceFile], options: ReadOptions) -> None:
        self._main = _main_file(files)
        self._files = {_name(file): file for file in files if _folder(file) == _folder(self._main)}
        self._in_folder = options.in_folder
        self._oddities = Oddities(self._place(self._main))
        edges = EdgeReader(self._oddities, reverse_blocked_by=options.reverse_blocked_by)
        self._issues = IssueReader(edges, self._oddities, self._place(self._main))
        self._records: list[ForeignRecord] = []
        self._rejections: list[Rejection] = []
        self._waiting: dict[str, list[str]] = {}  # issue -> what it waits for by an edge of the other one
        self._ignored = 0

    def reading(self) -> Reading:
        """Everything in the files, in the order of the main one."""
        objects = self._objects(self._main)
        if not any(map(_is_ours, objects)) and (objects or not self._is_damaged()):
            raise nothing_found((self._main,), _WANTED)
        rows = self._tables()
        for issue in objects:
            self._take(issue, rows)
        self._see_unowned(rows, objects)
        self._take_deletions()
        self._see_others()
        records = tuple(map(self._with_waiting, self._records))
        rejections = tuple(sorted(self._rejections, key=lambda row: (row.path or "", row.line or 0)))
        return Reading(records, rejections, self._oddities.notes(), self._ignored)

    def _place(self, file: SourceFile) -> str | None:
        return file.path if self._in_folder else None

    def _objects(self, file: SourceFile) -> list[JsonObject]:
        lines = read_json_lines(file, path=self._place(file))
        self._rejections += lines.rejections
        self._ignored += lines.blank
        return lines.objects

    def _is_damaged(self) -> bool:
        """Whether lines could be issues that something happened to, rather than text or another document."""
        if what_it_is(self._main.data).is_json:
            return False
        return any(rejection.reason_code not in _NO_DAMAGE for rejection in self._rejections)

    # --- issues -----------------------------------------------------------------------------

    def _take(self, issue: JsonObject, rows: _Rows) -> None:
        kind = issue.get("_type", "issue")
        if kind != "issue":
            self._ignored += 1
            self._oddities.see("not_work", f"a line of type {shown(kind)} is no work", issue.line)
            return
        for field, of in rows.items():
            self._join(issue, field, of.get(id_of(issue.get("id")) or "", ()))
        found = self._issues.read(issue)
        if isinstance(found, Rejection):
            self._rejections.append(found)
            return
        record, waiting = found
        self._records.append(record)
        for other in waiting:
            self._waiting.setdefault(other, []).append(record.source_id)

    def _join(self, issue: JsonObject, field: str, more: Sequence[Json]) -> None:
        """Give the issue what a table of the backup says of it."""
        if more:
            own = issue.get(field)
            issue[field] = [*own, *more] if isinstance(own, list) else list(more)

    def _with_waiting(self, record: ForeignRecord) -> ForeignRecord:
        more = self._waiting.get(record.source_id)
        return record._replace(depends_on=tuple(dict.fromkeys((*record.depends_on, *more)))) if more else record

    # --- what stands beside them ------------------------------------------------------------

    def _tables(self) -> _Rows:
        """The rows of a backup's tables by field and issue."""
        rows: _Rows = {}
        for name, field in _OWNER.items():
            if name in self._files and self._files[name] is not self._main:
                rows[field] = self._table(self._files[name], field)
        return rows

    def _table(self, file: SourceFile, field: str) -> dict[str, list[Json]]:
        found: dict[str, list[Json]] = {}
        for row in self._optional(file):
            issue_id = id_of(row.get("issue_id"))
            value = row.get("label") if field == "labels" else dict(row)
            if issue_id is None or value is None:
                message = f"a row of {file.path} names no issue or says nothing of it"
                self._rejections.append(Rejection(row.line, "row_incomplete", message, path=self._place(file)))
            else:
                found.setdefault(issue_id, []).append(value)
        return found

    def _optional(self, file: SourceFile) -> list[JsonObject]:
        """The rows of a file that may well be empty."""
        return self._objects(file) if file.data.strip() else []

    def _see_unowned(self, rows: _Rows, objects: list[JsonObject]) -> None:
        there = {id_of(issue.get("id")) for issue in objects}
        for field, of in rows.items():
            lost = sum(len(more) for issue_id, more in of.items() if issue_id not in there)
            if lost:
                self._oddities.see("row_without_issue", f"{field} of issues that are not there: {lost}")

    def _take_deletions(self) -> None:
        """What was deleted before there were tombstones."""
        file = self._files.get(_DELETIONS)
        if file is None or file is self._main:
            return
        for row in self._optional(file):
            issue_id = id_of(row.get("id"))
            if issue_id is None:
                fault = Rejection(row.line, "id_missing", "the deletion names no issue", path=self._place(file))
                self._rejections.append(fault)
                continue
            self._records.append(
                ForeignRecord(
                    issue_id,
                    issue_id,
                    ForeignState.DROPPED,
                    line=row.line,
                    path=self._place(file),
                    updated_at=instant_of(row.get("ts")),
                )
            )

    def _see_others(self) -> None:
        for name in (*_MAIN, *_HISTORY):
            file = self._files.get(name)
            if file is not None and file is not self._main:
                lines = file.data.count(b"\n")
                self._ignored += lines
                self._oddities.see("file_ignored", f"{file.path} was not read ({lines} lines)")


def _main_file(files: Sequence[SourceFile]) -> SourceFile:
    """The file with the issues: the newest name, nearest to what was named; any single file is taken at its word."""
    if len(files) == 1:
        return files[0]
    for name in _MAIN:
        found = [file for file in files if _name(file) == name]
        if found:
            return min(found, key=lambda file: file.path.count("/"))
    raise nothing_found(files, _WANTED)


def _name(file: SourceFile) -> str:
    return file.path.rpartition("/")[2]


def _folder(file: SourceFile) -> str:
    return file.path.rpartition("/")[0]


def _is_ours(value: JsonObject) -> bool:
    return "_type" in value or ("id" in value and not _SIGNS.isdisjoint(value))
