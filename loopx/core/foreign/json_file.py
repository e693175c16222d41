"""JSON in foreign files: an object a line, or one document; whatever cannot be read keeps its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.json_text import Flaw, JsonObject, JsonReader
from loopx.core.foreign.record import Rejection
from loopx.core.foreign.sniff import is_of_another, nothing_found
from loopx.core.foreign.text_lines import FAULT_MESSAGES, sound_text, text_lines
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from loopx.core.foreign.json_text import Json
    from loopx.core.foreign.record import SourceFile
    from loopx.core.foreign.sniff import Wanted
    from loopx.core.foreign.text_lines import Line

_SHOWN = 50  # lines that a refusal lists
MOST_REJECTIONS = 10_000  # a file with more bad lines is something else
_NO_OBJECT = "no_object"


class JsonLines(Value):
    """The objects of a file with one a line, what every other line was, and how many lines were blank."""

    objects: list[JsonObject]
    rejections: list[Rejection]
    blank: int


def read_json_lines(file: SourceFile, *, path: str | None = None) -> JsonLines:
    """Every line as an object, a rejection (which names `path`) or a blank one.

    ImportInvalidError where the bytes are no text at all, or more than `MOST_REJECTIONS` lines are bad.
    """
    found = JsonLines([], [], 0)
    reader, blank = JsonReader(), 0
    for line in text_lines(file.data):
        value = _line_value(line, reader)
        if isinstance(value, JsonObject):
            found.objects.append(value)
        elif value is None:
            blank += 1
        else:
            found.rejections.append(Rejection(value.line, value.fault, value.message, path=path))
            if len(found.rejections) > MOST_REJECTIONS:
                raise _too_many(file, found.rejections)
    return found._replace(blank=blank)


def _line_value(line: Line, reader: JsonReader) -> JsonObject | Flaw | None:
    """The object of a line, why it has none, or None for a blank line."""
    if line.fault is not None:
        return Flaw(line.number, line.fault, FAULT_MESSAGES[line.fault])
    if not line.text.strip():
        return None
    value = reader.read(line.text, line=line.number)
    if isinstance(value, JsonObject):
        return value.flaw or value
    return value if isinstance(value, Flaw) else Flaw(line.number, _NO_OBJECT, "the line is no JSON object")


def read_json_document(file: SourceFile, wanted: Wanted, rows: Collection[str] = ()) -> Json:
    """The one value of a file; the objects in arrays of `rows`, and those of the outermost levels, know their lines.

    ImportInvalidError, with the lines, where the file is not one JSON value as a whole. Nothing can be taken
    of it then, whatever the caller would skip.
    """
    value = JsonReader(rows).read(_whole_text(file))
    if not isinstance(value, Flaw):
        return value
    if is_of_another(file.data, wanted):
        raise nothing_found((file,), wanted)
    raise _refusal(file, [value])


def _whole_text(file: SourceFile) -> str:
    """The text of a file without a bad line; ImportInvalidError lists them."""
    text = sound_text(file.data)
    if text is not None:
        return text
    lines = list(text_lines(file.data))
    faults = [Flaw(line.number, line.fault, FAULT_MESSAGES[line.fault]) for line in lines if line.fault]
    if faults:
        raise _refusal(file, faults)
    return "\n".join(line.text for line in lines)


def refuse_flawed(file: SourceFile, value: JsonObject) -> None:
    """ImportInvalidError where what holds the records is flawed itself: which of two would count?"""
    if value.flaw is not None:
        raise _refusal(file, [value.flaw])


def _too_many(file: SourceFile, rejections: list[Rejection]) -> ImportInvalidError:
    first = [Flaw(row.line or 0, row.reason_code, row.message) for row in rejections[:_SHOWN]]
    return ImportInvalidError(
        f"{file.path}: more than {MOST_REJECTIONS} lines cannot be taken, the first in line {first[0].line}",
        hint="Name a file of the format.",
        rejected=list(_rows(first)),
        rejected_total=len(rejections),
    )


def _refusal(file: SourceFile, flaws: list[Flaw]) -> ImportInvalidError:
    first = flaws[0]
    number = "" if len(flaws) == 1 else f" (lines like it: {len(flaws)})"
    return ImportInvalidError(
        f"{file.path}, line {first.line}: {first.message}{number}",
        hint="Mend the file; it can be read only as a whole.",
        rejected=list(_rows(flaws[:_SHOWN])),
        rejected_total=len(flaws),
    )


def _rows(flaws: list[Flaw]) -> Iterator[dict[str, object]]:
    return ({"line": line, "reason_code": str(fault), "message": message} for line, fault, message in flaws)
