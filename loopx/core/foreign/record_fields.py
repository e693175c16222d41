"""The fields of one foreign record, asked for by name and form, so that none is lost.

What does not have the form that is asked for, and what nobody asks for, is `extra`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.core.foreign.fields import instant_of, texts_of
from loopx.core.foreign.oddities import unknown_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from loopx.core.foreign.oddities import Oddities
    from loopx.core.instant import Instant

_NOTHING: tuple[object, ...] = (None, "", [], {})  # a field that says nothing


class RecordFields:
    """Reads fields of a record and remembers which were understood; `line` and `path` are where it stands."""

    def __init__(
        self, record: Mapping[str, Any], oddities: Oddities, line: int | None, path: str | None = None
    ) -> None:
        self.line = line
        self.path = path
        self._record = record
        self._oddities = oddities
        self._read: set[str] = set()
        self._kept: dict[str, Any] = {}

    def raw(self, name: str) -> Any:
        """The value as it is; None where it is missing or says nothing."""
        self._read.add(name)
        value = self._record.get(name)
        return None if value in _NOTHING else value

    def text(self, name: str) -> str:
        """The text, or an empty one; anything else is kept."""
        value = self.raw(name)
        if isinstance(value, str):
            return value
        if value is not None:
            self.keep(name)
        return ""

    def word(self, name: str) -> str | None:
        """The text without outer white space; None for none."""
        return self.text(name).strip() or None

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list, or the one text; a list with anything else in it is kept too."""
        value = self.raw(name)
        if value is None:
            return ()
        texts = texts_of(value)
        if value != list(texts) and not isinstance(value, str):
            self.keep(name)
        return texts

    def instant(self, name: str) -> Instant | None:
        """The instant; what is no date is kept and noted."""
        value = self.raw(name)
        if value is None:
            return None
        at = instant_of(value)
        if at is None:
            self.see("date_unknown", f"{name} is no date; it is kept beside the todo")
            self.keep(name)
        return at

    def skip(self, *names: str) -> None:
        """Leave fields out that only repeat what others say."""
        self._read.update(names)

    def keep(self, name: str) -> None:
        """Keep a field as it is, whatever was read of it."""
        value = self._record.get(name)
        if value not in _NOTHING:
            self._kept[name] = value

    def keep_as(self, name: str, value: Any) -> None:
        """Keep a part of a field."""
        self._kept[name] = value

    def see(self, reason_code: str, message: str) -> None:
        """Note something about this record."""
        self._oddities.see(reason_code, message, self.line, self.path)

    def unknown(self, name: str, taken_as: str) -> None:
        """Note that a field's value means nothing here, and keep it."""
        self.see(*unknown_value(name, self._record.get(name), taken_as))
        self.keep(name)

    def extra(self) -> dict[str, Any] | None:
        """Everything that has no other place, under the source's names; None for nothing."""
        unread = {
            name: value for name, value in self._record.items() if name not in self._read and value not in _NOTHING
        }
        return {**unread, **self._kept} or None


def sectioned(fields: RecordFields, head: str, sections: Collection[tuple[str, str]]) -> str:
    """A body of several fields: the text of `head`, then each other one under its heading."""
    parts = [fields.text(head)]
    parts += [f"## {heading}\n\n{part}" for name, heading in sections if (part := fields.text(name).strip())]
    return "\n\n".join(part for part in parts if part.strip())
