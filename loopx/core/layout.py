"""What a project's state is called on disk; the store opens it and discovery looks for it."""

from __future__ import annotations

STATE_FOLDER = ".loopx"
REGISTRY_FILE = "registry.yaml"
DATABASE_FILE = "loopx.db"
MOVED_FILE = "moved.json"  # says on which server the state is now
