"""Backlog.md: a folder of Markdown files with front matter, a task each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.backlog_task import Config, Folder, TaskFile, named_task, read_task
from loopx.core.foreign.front_matter import FIRST_LINE, YamlFault, split_front_matter
from loopx.core.foreign.oddities import Oddities
from loopx.core.foreign.record import ForeignRecord, Reading, Rejection
from loopx.core.foreign.sniff import Wanted, nothing_found
from loopx.core.foreign.text_lines import FAULT_MESSAGES, text_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.foreign.front_matter import ParseYaml
    from loopx.core.foreign.record import ReadOptions, SourceFile
    from loopx.core.foreign.text_lines import Line

_ROOTS = ("backlog", ".backlog")
_FOLDERS = {
    "": Folder.TASKS,  # a folder of tasks that was named by itself
    "tasks": Folder.TASKS,
    "completed": Folder.COMPLETED,
    "drafts": Folder.DRAFTS,
    "archive": Folder.ARCHIVE,
    "archive/tasks": Folder.ARCHIVE,
    "archive/drafts": Folder.ARCHIVE,
}
_CONFIGS = ("config.yml", "config.yaml")
LONGEST_FRONT_MATTER = 65_536  # characters; real ones have hundreds, and YAML is slow to read
_WANTED = Wanted("tasks of Backlog.md", "backlog")


def wants(path: str, *, is_folder: bool) -> bool:
    """The folders of tasks and their Markdown files, and the configuration; never documents and decisions."""
    if is_folder:
        return path in _ROOTS or _below(path) in _FOLDERS
    folder, _, name = path.rpartition("/")
    if name in _CONFIGS:
        return folder in ("", *_ROOTS)
    return _below(folder) in _FOLDERS and name.lower().endswith(".md")


def read(files: Sequence[SourceFile], options: ReadOptions, parse: ParseYaml) -> Reading:
    """The tasks of all folders; `parse` reads YAML. ImportInvalidError where there is none."""
    return _Backlog(files, options, parse).reading()


def _below(path: str) -> str:
    """The path inside the project's backlog folder."""
    head, _, rest = path.partition("/")
    return rest if head in _ROOTS else path


class _Backlog:
    def __init__(self, files: Sequence[SourceFile], options: ReadOptions, parse: ParseYaml) -> None:
        rooted = [file for file in files if file.path.partition("/")[0] in _ROOTS]
        self._files = rooted or list(files)
        self._shows_path = options.in_folder
        self._parse = parse
        self._oddities = Oddities()
        self._records: list[ForeignRecord] = []
        self._rejections: list[Rejection] = []
        self._ignored = 0

    def reading(self) -> Reading:
        """Every task in the order of the paths."""
        config = self._config()
        for file in self._files:
            if not _is_config(file):
                self._take(file, config)
        if not self._records and not self._rejections:
            raise nothing_found(self._files, _WANTED)
        return Reading(tuple(self._records), tuple(self._rejections), self._oddities.notes(), self._ignored)

    def _config(self) -> Config:
        """What the configuration says; one that cannot be read is noted."""
        file = next(filter(_is_config, self._files), None)
        if file is None or not file.data.strip():
            return Config()
        found = self._parse("\n".join(line.text for line in text_lines(file.data)))
        if isinstance(found, YamlFault):
            message = f"the configuration was not read: {found.message}"
            self._oddities.see("config_unreadable", message, found.line, file.path)
            return Config()
        return Config.of(found)

    def _take(self, file: SourceFile, config: Config) -> None:
        lines = self._lines(file)
        if lines is None:
            return
        split = split_front_matter(lines)
        if split is None:
            self._take_without(file, lines)
            return
        if len(split.yaml) > LONGEST_FRONT_MATTER:
            message = f"the front matter is longer than {LONGEST_FRONT_MATTER} characters"
            self._reject(file, FIRST_LINE, "front_matter_too_long", message)
            return
        front = self._parse(split.yaml)
        if isinstance(front, YamlFault):
            line = front.line + FIRST_LINE - 1
            self._reject(file, line, "front_matter_invalid", front.message)
            return
        folder = _FOLDERS[_below(file.path.rpartition("/")[0])] if self._shows_path else Folder.TASKS
        task = TaskFile(file.path, folder, front, split.body)
        found = read_task(task, config, self._oddities, shows_path=self._shows_path)
        if isinstance(found, Rejection):
            self._rejections.append(found)
        else:
            self._records.append(found)

    def _lines(self, file: SourceFile) -> list[str] | None:
        """The lines of a file; None where some cannot be used, and those are rejected."""
        try:
            lines = list(text_lines(file.data))
        except ImportInvalidError as exc:
            self._reject(file, None, "file_unreadable", exc.message)
            return None
        bad = [line for line in lines if line.fault is not None]
        for line in bad:
            self._reject_line(file, line)
        return None if bad else [line.text for line in lines]

    def _take_without(self, file: SourceFile, lines: list[str]) -> None:
        """A file without front matter is a task only by its name."""
        if named_task(file.path) is None:
            self._ignored += 1
        elif lines[0].rstrip() == "---":
            self._reject(file, 1, "front_matter_unclosed", "the front matter opens here and never ends")
        else:
            self._reject(file, 1, "front_matter_missing", "the file has the name of a task and no front matter")

    def _reject_line(self, file: SourceFile, line: Line) -> None:
        assert line.fault is not None
        self._reject(file, line.number, line.fault, FAULT_MESSAGES[line.fault])

    def _reject(self, file: SourceFile, line: int | None, reason_code: str, message: str) -> None:
        path = file.path if self._shows_path else None
        self._rejections.append(Rejection(line, reason_code, message, path=path))


def _is_config(file: SourceFile) -> bool:
    return file.path.rpartition("/")[2] in _CONFIGS
