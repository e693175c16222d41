"""`store migrate`: a project's state goes from its folder to a database server, whole and proven, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx import failpoint
from loopx.app.extra import module_of_extra
from loopx.app.mutation import Document, refuse_shaping_by_teammates
from loopx.contracts.moved import marker
from loopx.core.actor import ActorKind
from loopx.core.errors import StorageFaultError, TargetExistsError, UserDecisionRequiredError
from loopx.core.layout import MOVED_FILE
from loopx.files import write_atomically
from loopx.store.chain import chain_faults
from loopx.store.database import project_id
from loopx.store.events import last_sequence
from loopx.store.replay import drifts, past_events, replay, table_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.mutation import Call
    from loopx.app.project import Project
    from loopx.store.connection import Connection
    from loopx.store.postgres.copy import Copied

MOVE_SCHEMA = "store_migrate_v1"
_EMPTY = "state_empty"


def move(project: Project, call: Call, url: str, *, progress: Callable[[str], None]) -> Document:
    """Copy everything to the empty place that the address names, prove the copy, and leave a marker behind.

    Nobody writes meanwhile. Interrupted before the marker, a repeated call finds its own copy and goes on from there.
    A person's decision: UserDecisionRequiredError for an agent. TargetExistsError where another project is there,
    StorageFaultError where history and tables do not agree, DatabaseUnreachableError, ExtraMissingError.
    """
    refuse_shaping_by_teammates(call)
    if call.actor.kind is ActorKind.AGENT:
        raise UserDecisionRequiredError("only a person may move the state", hint="Ask the user to run the command.")
    server = module_of_extra("loopx.store.postgres.move", "postgres")
    store = project.embedded
    with store.alone(), server.entered(url) as target:
        registry = project.registry_text

        def carry(source: Connection) -> Document:
            project.registry(source)  # it must be a registry before it goes anywhere
            _refuse_unsound(source, "here")
            state = project_id(source)
            state = project.ids.new("state") if state == _EMPTY else state
            found = server.carried(source, target, state=state, registry=registry.read(source), progress=progress)
            if found is None:
                raise TargetExistsError(
                    "the server holds another project already, or this one as it was at another time",
                    hint="Name another schema: ?options=-csearch_path%3DNAME, or another database.",
                )
            progress("proof")
            _refuse_unsound(target, "in the copy")
            return _document(server.shown(url), found, last_sequence(source), state)

        document = store.read(carry)
        if call.dry_run:
            return {**document, "dry_run": True}
        failpoint.reach("move: proven")
        server.commit(target)
        failpoint.reach("move: committed")
        write_atomically(f"{project.paths.folder}/{MOVED_FILE}", marker(document["address"]))
        failpoint.reach("move: marked")
        return document


def _refuse_unsound(db: Connection, where: str) -> None:
    """StorageFaultError unless the chain is whole and replaying it gives the tables."""
    faults = [*map(str, chain_faults(db))]
    faults += [f"{drift.table} {drift.key}" for drift in drifts(replay(past_events(db)), table_state(db))]
    if faults:
        raise StorageFaultError(
            f"the history {where} does not give the tables ({faults[0]}); nothing was moved",
            hint="Run `loopx doctor` first.",
        )


def _document(address: str, tables: list[Copied], events: int, state: str) -> Document:
    return {
        "schema_version": MOVE_SCHEMA,
        "ok": True,
        "address": address,
        "events": events,
        "rows": sum(table.rows for table in tables),
        "tables": [{"table": table.table, "rows": table.rows, "sha256": table.digest} for table in tables],
        "state": state,
        "warnings": [],
    }
