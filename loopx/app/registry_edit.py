"""Changing the registry by a command: the file first, then its event with both digests (design.md §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, cache_registry, mutate
from loopx.app.project import registry_of
from loopx.core.actor import ActorKind
from loopx.core.errors import UserDecisionRequiredError
from loopx.store.registry_cache import see_sha256

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.registry.document import RegistryDocument
    from loopx.registry.write import RegistryEdit


def change_registry(
    project: Project,
    call: Call,
    edit: Callable[[Work, RegistryDocument], None],
    answer: Callable[[Work], Outcome],
) -> Document:
    """Edit the file under its lock inside the write transaction, then answer from the new goals.

    Whatever refuses belongs into `edit`: the file is renamed after it. A crash between the two leaves a
    file that the next write notices and records by its digest.
    """

    def change(work: Work) -> Outcome:
        done = project.registry_text.edit(work.tx, lambda document: edit(work, document), dry_run=call.dry_run)
        _adopt(work, done)
        return answer(work)

    return mutate(project, call, change)


def _adopt(work: Work, done: RegistryEdit) -> None:
    """Let the transaction see, note and keep the registry as it is now."""
    work.use_registry(registry_of(done.registry, done.after_sha256))
    if done.before_sha256 != done.after_sha256:
        work.tx.note_registry(done.before_sha256, done.after_sha256)
        cache_registry(work.tx, work.registry)
        see_sha256(work.tx.db, done.after_sha256)


def refuse_agents(work: Work, what: str) -> None:
    """UserDecisionRequiredError where an agent would do what only a person may (W6.9)."""
    if work.actor.kind is ActorKind.AGENT:
        raise UserDecisionRequiredError(
            f"only a person may {what}",
            hint="Ask the user to run the command.",
            agent_id=work.actor.agent_id,
        )
