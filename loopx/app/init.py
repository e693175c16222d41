"""`init`: a state folder that is whole from the first instant on."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from loopx.core.digest import sha256_hex
from loopx.core.errors import AlreadyInitialisedError
from loopx.registry.write import initial_registry
from loopx.store.database import create_database
from loopx.store.files import storage_error, write_atomically
from loopx.store.paths import REGISTRY_FILE, STATE_FOLDER, state_paths

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.ports import IdSource

INIT_SCHEMA = "init_v1"
GITIGNORE = b"# The database and the locks belong to this machine; the registry is shared.\n*\n!.gitignore\n!registry.yaml\n"


class NewProject(NamedTuple):
    """What `init` takes; without a goal id the registry starts empty."""

    goal_id: str | None = None
    objective: str | None = None
    acceptance: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
