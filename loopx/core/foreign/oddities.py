"""What a reader met and did not understand: told once each, with how often, however large the file is."""

from __future__ import annotations

from loopx.core.foreign.record import Note

_SHOWN = 60  # characters of a foreign value in a message


class Oddities:
    """Collects notes; equal ones become one that names the first place. `path` is where notes without one are from."""

    def __init__(self, path: str | None = None) -> None:
        self._path = path
        self._first: dict[tuple[str, str], tuple[int | None, str | None]] = {}
        self._count: dict[tuple[str, str], int] = {}

    def see(self, reason_code: str, message: str, line: int | None = None, path: str | None = None) -> None:
        """Note it, where it was met."""
        key = (reason_code, message)
        self._first.setdefault(key, (line, path or self._path))
        self._count[key] = self._count.get(key, 0) + 1

    def notes(self) -> tuple[Note, ...]:
        """A note each, in the order in which they were first met."""
        return tuple(
            Note(code, _counted(message, self._count[code, message]), line, path)
            for (code, message), (line, path) in self._first.items()
        )


def unknown_value(field: str, value: object, taken_as: str) -> tuple[str, str]:
    """Reason code and message of a field whose value means nothing here."""
    return f"{field}_unknown", f"the {field} {shown(value)} is not known; {taken_as}"


def shown(value: object) -> str:
    """A foreign value in a message: one line, cut."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _counted(message: str, count: int) -> str:
    return message if count == 1 else f"{message} ({count} times)"
