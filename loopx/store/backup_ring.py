"""The project's own backups: a few automatic ones that make room for newer ones, and what restores replaced."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.core.instant import SECOND, format_instant
from loopx.files import storage_error
from loopx.store.backup import copy_database, registry_notes
from loopx.store.paths import verify_folder

if TYPE_CHECKING:
    import sqlite3

    from loopx.core.instant import Instant
    from loopx.ports import IdSource
    from loopx.store.paths import StatePaths

AUTOMATIC = "auto"  # before `doctor --fix` and before a migration
REPLACED = "replaced"  # what a restore took the place of; never removed by us
KEPT = 5  # automatic ones; a fault is noticed within a few repairs, or not at all


def backup_folder(paths: StatePaths) -> str:
    """Where the project keeps them; made where it is missing. PathEscapeError, storage errors."""
    folder = paths.backups
    verify_folder(folder)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as exc:
        raise storage_error(exc, folder) from exc
    return folder


def keep_copy(db: sqlite3.Connection, paths: StatePaths, kind: str, now: Instant, ids: IdSource) -> str:
    """Copy the database into the folder and return the copy's name there; the oldest automatic ones go."""
    folder = backup_folder(paths)
    name = free_name(folder, kind, now, ".db")
    copy_database(db, os.path.join(folder, name), registry_notes(paths.registry, now), ids=ids)
    if kind == AUTOMATIC:
        _make_room(folder)
    return name


def free_name(folder: str, kind: str, now: Instant, suffix: str) -> str:
    """`kind-TIME-N` that nothing in the folder has; names sort by age."""
    second = format_instant(now - now % SECOND).rstrip("Z").replace(":", "").replace("-", "")
    stamp = f"{second}.{now % SECOND:06}Z"
    taken = set(os.listdir(folder))
    names = (f"{kind}-{stamp}-{number:03}{suffix}" for number in range(len(taken) + 1))
    return next(name for name in names if name not in taken)


def _make_room(folder: str) -> None:
    automatic = sorted(name for name in os.listdir(folder) if name.startswith(AUTOMATIC) and name.endswith(".db"))
    for name in automatic[:-KEPT]:
        os.unlink(os.path.join(folder, name))
