"""The hierarchy of old is read once: the first write turns it into `peer_v1`, visibly (W2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import RegistryInvalidError
from loopx.store.events import append_system_event
from loopx.store.meta import remember_names, remembered_names

if TYPE_CHECKING:
    from loopx.app.project import Project, Registry
    from loopx.registry.document import RegistryDocument
    from loopx.store.transaction import Transaction

_MIGRATED = "agent_model_migrated"  # the goals whose model was migrated, for ever


def migrate_legacy_goals(project: Project, tx: Transaction, registry: Registry) -> Registry:
    """Write `peer_v1` into the file for the goals that still name the hierarchy, with an event.

    RegistryInvalidError where a goal that was migrated names it again.
    """
    from loopx.app.project import registry_of

    _refuse_second_time(tx, registry)

    def migrate(document: RegistryDocument) -> None:
        document.migrate_agent_model()

    done = project.registry_text.edit(tx, migrate)
    remember_names(tx.db, _MIGRATED, registry.legacy_goals)
    append_system_event(
        tx,
        "agent_model_migrated",
        {"registry": {"sha256": {"sha256": [done.before_sha256, done.after_sha256]}}},
        goal_id=registry.legacy_goals[0],
        reason="legacy_hierarchy is read once and becomes peer_v1",
        receipt={"goals": list(registry.legacy_goals)},
    )
    return registry_of(done.registry, done.after_sha256)


def _refuse_second_time(tx: Transaction, registry: Registry) -> None:
    again = [goal_id for goal_id in registry.legacy_goals if goal_id in remembered_names(tx.db, _MIGRATED)]
    if again:
        raise RegistryInvalidError(
            f"{again[0]} names agent_model legacy_hierarchy again; it was migrated to peer_v1 before",
            hint="Write agent_model: peer_v1 into the registry, or leave the key out.",
            goal_id=again[0],
        )
