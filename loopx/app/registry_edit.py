"""Changing the registry by a command: the file first, then its event with both digests (design.md §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, cache_registry, mutate
from loopx.app.project import Registry
from loopx.registry.cache import encode_goal
from loopx.store.registry_cache import see_sha256

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.core.goal import Goal
    from loopx.registry.write import RegistryDocument

Edit = "Callable[[RegistryDocument], None]"


def change_registry(
    project: Project,
    call: Call,
    edit: Callable[[Work, RegistryDocument], None],
    answer: Callable[[Work], Outcome],
) -> Document:
    """Edit the file under its lock inside the write transaction, then answer from the new goals.

    A crash between the two leaves a file that the next write notices and records by its digest.
    """

    def change(work: Work) -> Outcome:
        from loopx.registry.write import edit_registry

        done = edit_registry(
            project.paths.registry,
            lambda document: edit(work, document),
            timeout_us=project.timeout,
            dry_run=call.dry_run,
        )
        goals = {goal.goal_id: encode_goal(goal) for goal in done.registry.goals}
        work.registry = Registry(done.after_sha256, tuple(goals), goals.get, is_cached=False)
        work.forget_goal()
        if done.before_sha256 != done.after_sha256:
            work.tx.note_registry(done.before_sha256, done.after_sha256)
            cache_registry(work.tx, work.registry)
            see_sha256(work.tx.db, done.after_sha256)
        return answer(work)

    return mutate(project, call, change)


def goal_of(work: Work, goal_id: str | None) -> Goal:
    """The goal of the registry as it is after the edit."""
    return work.registry.goal(goal_id)
