"""The checks in their order, each on the same snapshot; one that fails is itself a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.doctor import derivation, history, work
from loopx.app.doctor.case import Case, of_error
from loopx.app.doctor.place import place
from loopx.core.errors import LoopxError, SchemaOlderError, StorageError
from loopx.core.value import Value
from loopx.store.database import project_id
from loopx.store.failure import translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopx.app.doctor.case import Progress
    from loopx.app.project import Project
    from loopx.core.finding import Finding
    from loopx.store.connection import Connection

UNKNOWN_STATE = "state_unknown"

CHECKS: tuple[tuple[str, Callable[[Case], Iterable[Finding]]], ...] = (
    ("pages", history.pages),
    ("references", history.references),
    ("event chain", history.chain),
    ("order of creation", history.sequences),
    ("history against tables", history.replayed),
    ("dependency graph", derivation.graph),
    ("kept values", derivation.kept_values),
    ("foreign edits", derivation.foreign_edit),
    ("registry cache", derivation.registry_cache),
    ("goals", work.goals),
    ("claims", work.claims),
    ("leases", work.leases),
    ("blocked work", work.blocked),
    ("deferred work", work.deferred),
    ("monitors", work.monitors),
    ("agents", work.agents),
)


class Examined(Value):
    """What was found, and of which state."""

    state: str
    findings: tuple[Finding, ...]

    @property
    def fixable(self) -> tuple[Finding, ...]:
        """What `--fix` would settle."""
        return tuple(finding for finding in self.findings if finding.fixable)


def examine(project: Project, progress: Progress) -> Examined:
    """Every finding, those of the files first; nothing is written, and a fault of the storage is a finding.

    BusyTimeoutError where a writer beside a read-only reader leaves no moment of rest.
    """
    found = list(place(project)) if project.is_embedded else []

    def query(db: Connection) -> str:
        found.extend(_of_database(project, db, progress))
        return project_id(db)

    try:
        state = project.store.read(query)
    except StorageError as exc:
        found.append(of_error("loopx.db", exc, fixable=isinstance(exc, SchemaOlderError)))
        state = UNKNOWN_STATE
    return Examined(state, tuple(dict.fromkeys(found)))


def _of_database(project: Project, db: Connection, progress: Progress) -> Iterable[Finding]:
    found: list[Finding] = []
    registry = None
    try:
        registry = project.registry(db)
    except LoopxError as exc:
        found.append(of_error("registry.yaml", exc))
    case = Case(db, registry, project.registry_text, project.store.now(db), progress)
    for name, check in CHECKS:
        progress(name)
        try:
            with translated():
                found += check(case)
        except StorageError as exc:
            found.append(of_error("loopx.db", exc))
    return found
