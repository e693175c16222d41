"""Where the registry's text is: a file that people edit, or a row of the database that several hosts share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.core.instant import Duration
    from loopx.registry.document import RegistryDocument
    from loopx.registry.write import RegistryEdit
    from loopx.store.connection import Connection
    from loopx.store.transaction import Transaction

STORED_NAME = "the registry in the database"
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_AT_ONCE = 1 << 16  # bytes: more than most registries have


class RegistryText(Protocol):
    """The registry's bytes, read beside a snapshot and edited inside a write."""

    name: str  # by which messages call it

    def read(self, db: Connection) -> bytes:
        """The bytes as they are now; storage errors where they cannot be read."""
        ...

    def edit(
        self, tx: Transaction, change: Callable[[RegistryDocument], None], *, dry_run: bool = False
    ) -> RegistryEdit:
        """Let `change` edit the text and keep the result, whole or not at all. RegistryInvalidError."""
        ...

    def mark(self) -> tuple[object, ...]:
        """What differs once the text was changed otherwise than by a write of the store."""
        ...


class RegistryFile:
    """`registry.yaml`, under a lock of its own."""

    def __init__(self, path: str, *, timeout: Duration) -> None:
        self.name = path
        self._timeout = timeout

    def read(self, db: Connection) -> bytes:
        """The file as it is."""
        return registry_bytes(self.name)

    def edit(
        self,
        tx: Transaction,
        change: Callable[[RegistryDocument], None],
        *,
        dry_run: bool = False,
    ) -> RegistryEdit:
        """See `edit_registry`."""
        from loopx.registry.write import edit_registry

        return edit_registry(self.name, change, timeout_us=self._timeout, dry_run=dry_run)

    def mark(self) -> tuple[object, ...]:
        """Instant, inode and size of the file; nothing where it is not there."""
        try:
            found = os.stat(self.name)
        except OSError:
            return ()
        return (found.st_mtime_ns, found.st_ino, found.st_size)


class StoredRegistry:
    """The same text in a row, so that hosts cannot disagree; an edit is part of the transaction."""

    name = STORED_NAME

    def read(self, db: Connection) -> bytes:
        """The text of this snapshot."""
        from loopx.store.registry_document import stored_registry

        return stored_registry(db)

    def edit(
        self, tx: Transaction, change: Callable[[RegistryDocument], None], *, dry_run: bool = False
    ) -> RegistryEdit:
        """As for the file; a dry run's write is rolled back with its transaction."""
        from loopx.registry.write import edited
        from loopx.store.registry_document import store_registry

        edit, data = edited(self.read(tx.db), self.name, change)
        if edit.after_sha256 != edit.before_sha256 and not dry_run:
            store_registry(tx.db, data)
        return edit

    def mark(self) -> tuple[object, ...]:
        """Nothing: every edit is a write of the store."""
        return ()


def registry_bytes(path: str) -> bytes:
    """The file as it is; storage errors where it cannot be read."""
    try:
        fd = os.open(path, _READ)
        try:
            return b"".join(iter(lambda: os.read(fd, _AT_ONCE), b""))
        finally:
            os.close(fd)
    except OSError as exc:
        from loopx.files import storage_error

        raise storage_error(exc, path) from exc
