"""A file that somebody wants to import: read whole or refused, and named so that it is known again."""

from __future__ import annotations

import os
import stat

from loopx.core.errors import ImportInvalidError, UsageError
from loopx.core.text import checked_text
from loopx.files import kind_of_file
from loopx.workspace.checkout import find_checkout, main_worktree

LIMIT_BYTES = 64 * 1024 * 1024  # far above the largest list that people have; keeps a wrong file out of memory
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)  # a named pipe must not hold the command up


def read_import_file(path: str) -> bytes:
    """The bytes of a regular file. UsageError for anything else, ImportInvalidError for one that is too large."""
    try:
        with open(os.open(path, os.O_RDONLY | _WITHOUT_WAITING), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise UsageError(f"{path} is {kind_of_file(found.st_mode)}", hint="Name a regular file.")
            data = file.read(LIMIT_BYTES + 1)
    except IsADirectoryError as exc:
        raise UsageError(f"{path} is a folder", hint="Name a regular file.") from exc
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}", hint="Name a readable file.") from exc
    if len(data) > LIMIT_BYTES:
        raise ImportInvalidError(
            f"{path} is larger than {LIMIT_BYTES} bytes",
            hint="Split it into several files.",
            limit_bytes=LIMIT_BYTES,
        )
    return data


def source_name(project_root: str, path: str) -> str:
    """The file's path in the project, the same from every worktree; only its name where it lies outside."""
    folder, name = os.path.split(os.path.abspath(path))
    folder = os.path.realpath(folder)
    checkout = find_checkout(folder)
    main = main_worktree(checkout) if checkout and checkout.is_linked else None
    if checkout and main:
        folder = os.path.join(main, os.path.relpath(folder, checkout.root))
    inside = os.path.relpath(os.path.join(folder, name), os.path.realpath(project_root))
    is_outside = inside.split(os.sep, 1)[0] == os.pardir
    return checked_text(name if is_outside else inside.replace(os.sep, "/"), field="the file's name")
