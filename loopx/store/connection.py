"""What the store asks of a database connection, whichever engine is behind it, and of the store itself."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from loopx.core.instant import Instant
    from loopx.ports import IdSource, TokenSource
    from loopx.store.transaction import Transaction

T = TypeVar("T")

Row = tuple[Any, ...]


class Rows(Protocol):
    """The answer to a statement."""

    @property
    def description(self) -> Any: ...
    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """One session with a database. Statements are written as for SQLite; transactions begin and end by statements."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ..., /) -> Rows: ...
    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> object: ...
    def close(self) -> None: ...


def is_embedded(db: Connection) -> bool:
    """Whether the database is a file of ours, whose pages and memory are ours to look after."""
    return isinstance(db, sqlite3.Connection)


class StateStore(Protocol):
    """One project's state: snapshot reads, and one write transaction at a time."""

    ids: IdSource
    tokens: TokenSource

    def read(self, query: Callable[[Connection], T]) -> T:
        """The query's answer on one consistent snapshot."""
        ...

    def write(self, *, dry_run: bool = False, mends_graph: bool = False) -> AbstractContextManager[Transaction]:
        """One write transaction; any exception inside leaves the old state."""
        ...

    def now(self, db: Connection) -> Instant:
        """The present instant by the clock that counts."""
        ...

    def described(self) -> dict[str, Any]:
        """Engine, place without any password, whether it is there, and the version of its schema."""
        ...

    def change_mark(self) -> tuple[object, ...]:
        """What differs once somebody else has written; costs microseconds to ask."""
        ...

    def close(self) -> None:
        """Close what is open."""
        ...
