"""Short ways to ask a reader: records by id, rejections and notes by their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from loopx.core.foreign.record import Reading, ReadOptions, SourceFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.core.foreign.record import ForeignRecord


class Read(Protocol):
    """The `read` of a format."""

    def __call__(self, files: Sequence[SourceFile], options: ReadOptions, /) -> Reading:
        """What the files hold."""


def one_file(read: Read, data: bytes, path: str = "file", **options: Any) -> Reading:
    """What a single file holds."""
    return read([SourceFile(path, data)], ReadOptions(**options))


def folder(read: Read, files: Mapping[str, str | bytes], **options: Any) -> Reading:
    """What the files of a folder hold, in the order of their paths."""
    sources = [
        SourceFile(path, data if isinstance(data, bytes) else data.encode()) for path, data in sorted(files.items())
    ]
    return read(sources, ReadOptions(in_folder=True, **options))


def by_id(reading: Reading) -> dict[str, ForeignRecord]:
    """The records of a reading in which nothing is wrong; the last of equal ids."""
    assert reading.rejections == ()
    return {record.source_id: record for record in reading.records}


def only(reading: Reading) -> ForeignRecord:
    """The one record of a reading in which nothing is wrong."""
    (record,) = by_id(reading).values()
    return record


def rejected(reading: Reading) -> list[tuple[int | None, str]]:
    """Line and reason of each rejection."""
    return [(row.line, str(row.reason_code)) for row in reading.rejections]


def noted(reading: Reading) -> list[str]:
    """The reason of each note."""
    return [note.reason_code for note in reading.notes]
