"""`init`: a state folder that is whole from the first instant on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.value import Value

if TYPE_CHECKING:
    pass

INIT_SCHEMA = "init_v1"
GITIGNORE = b"# The database and the locks belong to this machine; the registry is shared.\n*\n!.gitignore\n!registry.yaml\n"


class NewProject(Value):
    """What `init` takes; without a goal id the registry starts empty."""

    goal_id: str | None = None
    objective: str | None = None
    acceptance: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
