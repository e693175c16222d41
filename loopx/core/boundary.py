"""Where a goal's work may happen: what lies outside is never delivered (W8.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopx.core.goal import Boundary
    from loopx.core.todo import Route


def outside_boundary(boundary: Boundary, route: Route) -> str | None:
    """The first repository or write scope of the route that the boundary does not hold."""
    repository = route.task_repository
    if boundary.repositories and repository is not None and repository not in boundary.repositories:
        return repository
    if not boundary.write_scopes or not route.required_write_scopes:
        return None
    from loopx.core.glob import glob_covers  # only where a boundary is set

    for scope in route.required_write_scopes:
        if not any(glob_covers(allowed, scope) for allowed in boundary.write_scopes):
            return scope
    return None
