"""`where`: which state a call uses, how it was found, and the versions involved."""

from __future__ import annotations

import os
import platform
import sqlite3
from typing import TYPE_CHECKING

from loopx import __version__
from loopx.files import may_write
from loopx.store.database import project_id
from loopx.store.migrate import LATEST

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project

WHERE_SCHEMA = "where_v1"
_MOUNTS = "/proc/self/mountinfo"


def where(project: Project) -> Document:
    """The state folder and how it was found; the only document that tells a path."""

    state = project.store.read(project_id)
    paths = project.paths
    return {
        "schema_version": WHERE_SCHEMA,
        "ok": True,
        "state_dir": paths.folder,
        "root": project.location.root,
        "found_by": project.location.found_by,
        "registry": project.registry_text.name,
        "database": project.store.described(),
        "filesystem": {"type": filesystem_type(paths.folder), "writable": may_write(paths.folder)},
        "versions": {
            "loopx": __version__,
            "schema": LATEST,
            "sqlite": sqlite3.sqlite_version,
            "python": platform.python_version(),
        },
        "state": state,
    }


def filesystem_type(folder: str) -> str | None:
    """The type of the file system that holds the folder, where the system says so."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = [_mount(line) for line in file]
    except OSError:
        return None
    inside = [(path, kind) for path, kind in mounts if os.path.commonpath((path, folder)) == path]
    return max(inside, key=lambda mount: len(mount[0]))[1] if inside else None


def _mount(line: str) -> tuple[str, str]:
    """Mount point and type of a line of mountinfo; the type follows a lone dash."""
    left, right = line.split(" - ", 1)
    return left.split(" ")[4].replace("\\040", " "), right.split(" ")[0]
