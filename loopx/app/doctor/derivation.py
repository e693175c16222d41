"""Are the values that follow from others what they must be, and is the graph one?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.doctor.case import Case, error, info, warning
from loopx.app.project import Registry, parsed_registry
from loopx.core.digest import sha256_hex
from loopx.store.guard import graph_faults, is_acknowledged
from loopx.store.recount import miscounts
from loopx.store.registry_cache import last_seen_sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.core.finding import Finding


def kept_values(case: Case) -> Iterator[Finding]:
    """Counts of dependencies and groups, and whether conditions hold."""
    for wrong in miscounts(case.db):
        yield error(
            "kept_value_wrong",
            f"{wrong.table} {wrong.key}",
            f"{wrong.column} is kept as {wrong.kept} and is {wrong.true}",
            fixable=True,
        )


def graph(case: Case) -> Iterator[Finding]:
    """Missing todos, self-dependencies and cycles, each with its path."""
    for fault in graph_faults(case.db):
        yield error("graph_invalid", fault.path[0], str(fault))


def foreign_edit(case: Case) -> Iterator[Finding]:
    """Whether the graph was edited by a hand that is not ours since the last checked write."""
    if not is_acknowledged(case.db):
        message = "dependencies or todos were edited from outside since the last write"
        yield warning("foreign_edit", "loopx.db", message, fixable=True)


def registry_cache(case: Case) -> Iterator[Finding]:
    """The goals as they are cached against the goals as the file says them."""
    if case.registry is None:
        return
    seen = last_seen_sha256(case.db)
    if seen not in (None, case.registry.sha256):
        yield info("registry_edited", "registry.yaml", "the file was edited by hand; the next write records that")
    text = case.registry_text
    if case.registry.is_cached and not is_cache_right(case.registry, text.read(case.db), text.name):
        message = "the goals that are cached under the digest of the file are not the goals in it"
        yield error("registry_cache_wrong", "registry.yaml", message, fixable=True)


def is_cache_right(cached: Registry, data: bytes, name: str) -> bool:
    """Whether the cached goals are what the registry's bytes say. RegistryInvalidError."""
    fresh = parsed_registry(data, sha256_hex(data), name)
    return fresh.goal_ids == cached.goal_ids and all(
        fresh.encoded(goal_id) == cached.encoded(goal_id) for goal_id in fresh.goal_ids
    )
