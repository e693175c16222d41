"""`restore`: the state becomes what a backup holds; what it was is kept, and the history says so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.app.mutation import Document, intent_of, refuse_shaping_by_teammates
from loopx.core.actor import ActorKind
from loopx.core.command import command
from loopx.core.errors import BackupInvalidError, UsageError, UserDecisionRequiredError
from loopx.core.value import Value
from loopx.files import write_atomically
from loopx.store.backup import kept_registry
from loopx.store.backup_ring import backup_folder, free_name
from loopx.store.database import project_id
from loopx.store.events import Event, append_event, last_link, last_sequence, new_operation_id
from loopx.store.operations import record_answer, recorded_answer
from loopx.store.restore import keep_replaced, prepared_copy, put_in_place

if TYPE_CHECKING:
    import sqlite3

    from loopx.app.mutation import Call
    from loopx.app.project import Project
    from loopx.store.lock import Deadline

RESTORE_SCHEMA = "restore_v1"
REGISTRY_DIFFERS = "the registry of the backup differs from the one in use, which stays; compare the kept copy"


class _Present(Value):
    """What the project is before a restore; None where that cannot be read."""

    state: str | None
    registry: bytes | None
    answer: Document | None


def restore(project: Project, call: Call, file: str, *, force: bool = False) -> Document:
    """Put the backup in the place of the database; the registry is never touched.

    A person's decision: UserDecisionRequiredError for an agent. BackupInvalidError for a file that is not
    sound, or is of another project and not forced. A retry of the same operation restores once.
    """
    refuse_shaping_by_teammates(call)
    if call.actor.kind is ActorKind.AGENT:
        raise UserDecisionRequiredError("only a person may restore a backup", hint="Ask the user to run the command.")
    source = os.path.abspath(file)
    if not os.path.isfile(source):
        raise UsageError(f"{file} is no file", hint="Name a file that `loopx backup` has written.")
    with prepared_copy(source, project.paths, project.embedded.ids) as copy, project.embedded.alone() as deadline:
        present = _present(project, call)
        if present.answer is not None:
            present.answer["receipt"]["replayed"] = True
            return present.answer
        _refuse_another_project(copy, present, force=force)
        return _carried_out(project, call, file, copy, present, deadline)


def _present(project: Project, call: Call) -> _Present:
    """What can be read of the state as it is, which may be little."""
    from loopx.core.errors import StorageError

    registry = _registry(project)
    if not os.path.exists(project.paths.database):
        return _Present(None, registry, None)

    def query(db: sqlite3.Connection) -> _Present:
        answer = None
        if call.operation_id is not None:
            answer = recorded_answer(db, call.operation_id, intent_of(call))
        return _Present(project_id(db), registry, answer)

    try:
        return project.embedded.read(query)
    except StorageError:  # it is damaged or of another schema, which is why somebody restores
        return _Present(None, registry, None)
    finally:
        project.embedded.close()


def _registry(project: Project) -> bytes | None:
    try:
        with open(project.paths.registry, "rb") as file:
            return file.read()
    except OSError:  # its fault is told by whoever reads goals; a restore needs none
        return None


def _refuse_another_project(copy: sqlite3.Connection, present: _Present, *, force: bool) -> None:
    of_backup = project_id(copy)
    if present.state not in (None, of_backup) and not force:
        raise BackupInvalidError(
            f"the backup is of the state {of_backup}, and this project is {present.state}",
            hint="`loopx where` tells which project is in use; --force takes the backup over all the same.",
            backup=of_backup,
            state=present.state,
        )


def _carried_out(
    project: Project, call: Call, file: str, copy: sqlite3.Connection, present: _Present, deadline: Deadline
) -> Document:
    store = project.embedded
    reached, kept = last_sequence(copy), kept_registry(copy)
    differs = None if kept is None or present.registry is None else kept != present.registry
    replaced = None if call.dry_run else keep_replaced(store.paths, store.clock, store.ids)
    kept_as = _keep_registry(project, kept) if differs and kept is not None and not call.dry_run else None
    operation_id = call.operation_id or new_operation_id(store.ids, last_link(copy))
    sequence = _append(copy, project, call, operation_id, {"restored_to": reached, "replaced": replaced})
    document: Document = {
        "schema_version": RESTORE_SCHEMA,
        "ok": True,
        "file": file,
        "sequence": reached,
        "replaced": replaced,
        "registry_differs": differs,
        "registry_kept": kept_as,
        "receipt": _receipt(call, sequence, operation_id),
        "state": project_id(copy),
        "warnings": [REGISTRY_DIFFERS] if differs else [],
    }
    if call.dry_run:
        return {**document, "dry_run": True}
    if call.operation_id is not None:
        record_answer(copy, operation_id, intent_of(call), document, sequence)
    aside = put_in_place(copy, store.paths, clock=store.clock, ids=store.ids, deadline=deadline)
    return document if aside is None else {**document, "replaced": aside}


def _append(copy: sqlite3.Connection, project: Project, call: Call, operation_id: str, receipt: Document) -> int:
    """The restore as the next event of the restored history."""
    event = Event(
        at=project.clock.now(),
        actor_kind=call.actor.kind.value,
        actor=call.actor.kind.value,
        action=call.action,
        goal_id=None,
        todo_id=None,
        changes={},
        reason=call.reason,
        receipt={name: value for name, value in receipt.items() if value is not None},
        operation_id=operation_id,
    )
    return append_event(copy, event, last_link(copy)).sequence


def _receipt(call: Call, sequence: int, operation_id: str) -> Document:
    return {
        "event": call.action,
        "sequence": sequence,
        "operation_id": operation_id,
        "replayed": False,
        "mode": None,
        "authority_source": None,
        "authority_action": None,
        "authority_reason": None,
        "next_command": command("doctor"),
    }


def _keep_registry(project: Project, data: bytes) -> str:
    """Put the backup's registry beside the backups, for a person to compare."""
    folder = backup_folder(project.paths)
    name = free_name(folder, "registry", project.clock.now(), ".yaml")
    write_atomically(os.path.join(folder, name), data)
    return name
