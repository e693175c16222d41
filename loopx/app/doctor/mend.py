"""`doctor --fix`: backs up first, changes only what follows from the facts, and says in one event what it did."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.app.doctor.examine import Examined, examine
from loopx.app.doctor.place import leftovers
from loopx.app.doctor.report import DOCTOR_SCHEMA, report
from loopx.app.mutation import Document, Outcome, Work, cache_registry, mutate, refuse_shaping_by_teammates
from loopx.app.project import parsed_registry
from loopx.core.digest import sha256_hex
from loopx.files import storage_error
from loopx.store.backup_ring import AUTOMATIC, keep_copy
from loopx.store.recount import recount
from loopx.store.upgrade import upgrade

if TYPE_CHECKING:
    from loopx.app.doctor.case import Progress
    from loopx.app.mutation import Call
    from loopx.app.project import Project

_BY_A_WRITE = frozenset(("kept_value_wrong", "registry_cache_wrong", "foreign_edit", "lease_unsettled"))
_BY_MIGRATION = "schema_older"


def mend(project: Project, call: Call, progress: Progress) -> Document:
    """Settle every fixable finding and report what is left.

    A retry of the same operation settles nothing twice. Storage errors where the backup or the write is
    refused; then nothing was changed.
    """
    refuse_shaping_by_teammates(call)
    before = examine(project, progress)
    if call.dry_run:
        return {**report(before), "fixed": [], "backup": None, "receipt": None, "dry_run": True}
    backup = None
    if _has(before, _BY_MIGRATION):
        backup = _upgraded(project)
        before = _merged(before, examine(project, progress))
    receipt = None
    if _has(before, *_BY_A_WRITE) or call.operation_id is not None:
        backup = backup or _backed_up(project, before)
        receipt = _written(project, call, before)
    if project.is_embedded:
        _cleared(project)
    after = examine(project, progress)
    return {**report(after, fixed=_gone(before, after)), "backup": backup, "receipt": receipt}


def _has(examined: Examined, *codes: str) -> bool:
    return any(finding.code in codes for finding in examined.fixable)


def _merged(before: Examined, after: Examined) -> Examined:
    """What is found once the database can be read, with what kept it from being read."""
    first = tuple(finding for finding in before.fixable if finding not in after.findings)
    return after._replace(findings=(*first, *after.findings))


def _gone(before: Examined, after: Examined) -> Examined:
    return before._replace(findings=tuple(one for one in before.fixable if one not in after.findings))


def _backed_up(project: Project, before: Examined) -> str | None:
    """The name of the copy; none where nothing is to be changed, and on a server, which has backups of its own."""
    if not _has(before, *_BY_A_WRITE) or not project.is_embedded:
        return None
    store = project.embedded
    return store.read(lambda db: keep_copy(db, store.paths, AUTOMATIC, store.clock.now(), store.ids))


def _upgraded(project: Project) -> str | None:
    """Bring the schema to the program's version; the name of the copy that was made first, if one was."""
    if project.server is None:
        return upgrade(project.embedded)
    project.server.upgrade()
    return None


def _written(project: Project, call: Call, before: Examined) -> Document | None:
    """The receipt of the one write that counts everything anew."""

    def change(work: Work) -> Outcome:
        work.refuse_stranger()
        recount(work.tx.db)
        _refill_cache(project, work)
        settled = [[finding.code, finding.subject] for finding in before.fixable if finding.code in _BY_A_WRITE]
        body: Document = {"schema_version": DOCTOR_SCHEMA, "ok": True}
        return Outcome(body, notes=(("settled", settled[:100]), ("settled_total", len(settled))), records=bool(settled))

    receipt: Document | None = mutate(project, call, change)["receipt"]
    return receipt


def _refill_cache(project: Project, work: Work) -> None:
    text = project.registry_text
    data = text.read(work.tx.db)
    fresh = parsed_registry(data, sha256_hex(data), text.name)
    if fresh.sha256 == work.registry.sha256:
        cache_registry(work.tx, fresh)
        project.forget_registry()


def _cleared(project: Project) -> None:
    for name in leftovers(project.paths, project.clock.now()):
        path = os.path.join(project.paths.folder, name)
        try:
            os.unlink(path)
        except FileNotFoundError:  # somebody else was first
            continue
        except OSError as exc:
            raise storage_error(exc, path) from exc
