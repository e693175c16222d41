"""Pools: named resources of which a limited number may be leased at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work
from loopx.app.page import page_keys
from loopx.app.registry_edit import change_registry
from loopx.core.command import command
from loopx.core.errors import UsageError
from loopx.core.name import normalise_name
from loopx.store.resume import leased_places

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.registry.document import RegistryDocument

POOL_SCHEMA = "pool_v1"
POOL_LIST_SCHEMA = "pool_list_v1"


def set_pool(project: Project, call: Call, name: str, capacity: int) -> Document:
    """Make a pool, or give it another capacity; leases that are out stay valid."""
    if capacity < 0:
        raise UsageError(f"a capacity of {capacity} is out of range", hint="A capacity is 0 or more.")

    def edit(work: Work, document: RegistryDocument) -> None:
        document.set_pool(work.goal.goal_id, normalise_name(name, what="pool"), capacity)

    def answer(work: Work) -> Outcome:
        pool = {"name": normalise_name(name, what="pool"), "capacity": capacity, "goal_id": work.goal.goal_id}
        body: Document = {"schema_version": POOL_SCHEMA, "ok": True, "pool": pool}
        return Outcome(body, next_command=command("pool", "list", "--goal-id", work.goal.goal_id))

    return change_registry(project, call, edit, answer)


def list_pools(project: Project, goal_id: str | None, page: Page) -> Document:
    """The goal's pools in the order of the registry, and how many places of each are leased."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        taken = leased_places(snapshot.db, goal.goal_id, snapshot.now)
        numbered = list(enumerate(goal.pools, start=1))[page.after :]
        return {
            "schema_version": POOL_LIST_SCHEMA,
            "ok": True,
            "pools": [
                {"name": pool.name, "capacity": pool.capacity, "leased": taken.get(pool.name, 0)}
                for _, pool in numbered[: page.limit]
            ],
            "total": len(goal.pools),
            **page_keys([number for number, _ in numbered], len(numbered), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)
