"""`backup`: one verified file that holds the database as it is and the registry's bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.core.errors import StorageFaultError, TargetExistsError, UsageError
from loopx.files import lstat_or_none
from loopx.store.backup import Content, copy_database, registry_notes
from loopx.store.chain import chain_faults
from loopx.store.database import project_id

if TYPE_CHECKING:
    import sqlite3

    from loopx.app.mutation import Document
    from loopx.app.project import Project

BACKUP_SCHEMA = "backup_v1"
FAULTY = "the history in it has faults; run `loopx doctor`, and keep older backups"


def back_up(project: Project, file: str, *, overwrite: bool = False) -> Document:
    """Write the backup and answer what is in it. Nothing of the project changes, and no writer waits.

    TargetExistsError for a name that is taken, UsageError for a place among the state's own files,
    DatabaseCorruptError where the copy is not sound, storage errors.
    """
    target = os.path.abspath(file)
    _refuse_target(project, target, overwrite=overwrite)
    store = project.embedded

    def query(db: sqlite3.Connection) -> tuple[str, Content, bool]:
        if not os.path.exists(store.paths.database):
            raise StorageFaultError("there is no database yet to back up", hint="The first write makes it.")
        notes = registry_notes(store.paths.registry, store.clock.now())
        return project_id(db), copy_database(db, target, notes, ids=store.ids), bool(chain_faults(db))

    state, content, is_faulty = store.read(query)
    return {
        "schema_version": BACKUP_SCHEMA,
        "ok": True,
        "file": file,
        "bytes": os.path.getsize(target),
        "sequence": content.last_sequence,
        "todos": content.rows_of("todos"),
        "state": state,
        "warnings": [FAULTY] if is_faulty else [],
    }


def _refuse_target(project: Project, target: str, *, overwrite: bool) -> None:
    folder = os.path.realpath(os.path.dirname(target))
    if folder == os.path.realpath(project.paths.folder):
        raise UsageError("a backup does not lie among the state's own files", hint="Name a file in another folder.")
    found = lstat_or_none(target)
    if found is None:
        return
    if not overwrite or not os.path.isfile(target) or os.path.islink(target):
        raise TargetExistsError(
            f"{os.path.basename(target)} exists and is not written over",
            hint="Name a file that does not exist; --force replaces a regular file.",
        )
