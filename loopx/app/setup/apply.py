"""`setup`: bring a program's files up to date, look whether they are, or take everything out again."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.app.setup.mark import SIGN
from loopx.app.setup.piece import Piece
from loopx.app.setup.target import TARGETS
from loopx.core.errors import SetupImpossibleError, UsageError
from loopx.core.layout import STATE_FOLDER
from loopx.core.value import Value
from loopx.files import storage_error, write_atomically
from loopx.workspace.checkout import find_checkout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.mutation import Document
    from loopx.app.setup.mark import Mark, Wish

SETUP_SCHEMA = "setup_v1"


class State(StrEnum):
    """How a file is, compared with what setup would make of it."""

    CURRENT = "current"
    OUTDATED = "outdated"  # an older version, another profile, or changed by hand
    MISSING = "missing"


class Step(Value):
    """What becomes of one file: its bytes before and after; None where there is no file."""

    piece: Piece
    before: bytes | None
    after: bytes | None
    state: State
    folders: int = 0  # that were made for the file, and go with it


def setup_root(named: str | None, cwd: str | None) -> str:
    """The folder whose files are meant: the named one, the root of the checkout, or the current one. UsageError."""
    folder = os.path.abspath(named) if named is not None else cwd
    if folder is None or not os.path.isdir(folder):
        raise UsageError("there is no such folder", hint="Go to the project, or name it with --project.")
    if os.path.basename(folder) == STATE_FOLDER:  # the state itself may stand for its project
        return os.path.dirname(folder)
    checkout = find_checkout(os.path.realpath(folder)) if named is None else None
    return checkout.root if checkout else folder


def check_setup(root: str, target: str, wish: Wish, *, server: bool = False) -> Document:
    """Whether every file says what setup would write; nothing is written. SetupImpossibleError."""
    steps = _steps(root, target, wish, server=server)
    return _document("check", target, [step._replace(after=step.before) for step in steps], current=_are_current(steps))


def apply_setup(root: str, target: str, wish: Wish, *, server: bool = False, dry_run: bool = False) -> Document:
    """Put every piece in or bring it up to date; a second time changes nothing.

    All files are looked at before the first is written. SetupImpossibleError, and storage errors.
    """
    steps = _steps(root, target, wish, server=server)
    _write_all(root, steps, dry_run=dry_run)
    return _document("apply", target, steps, current=not dry_run or _are_current(steps), dry_run=dry_run)


def remove_setup(root: str, target: str, *, dry_run: bool = False) -> Document:
    """Take every piece out: what was there before is there again, byte for byte. SetupImpossibleError."""
    steps = [_taken(root, piece) for piece in reversed(TARGETS[target])]
    _write_all(root, steps, dry_run=dry_run)
    return _document("remove", target, steps, current=False, dry_run=dry_run)


def _are_current(steps: list[Step]) -> bool:
    return all(step.state is State.CURRENT for step in steps)


def _write_all(root: str, steps: list[Step], *, dry_run: bool) -> None:
    for step in steps:
        if step.after != step.before and not dry_run:
            _write(root, step)


def _steps(root: str, target: str, wish: Wish, *, server: bool) -> list[Step]:
    """What is to be done, file by file; the server's only where it is asked for or was before."""
    steps = []
    for piece in TARGETS[target]:
        before = _read(root, piece)
        with _naming(piece):
            mark = _mark(piece, before)
            if not piece.is_server or server or mark is not None:
                steps.append(_put(root, piece, before, mark, wish))
    return steps


def _put(root: str, piece: Piece, before: bytes | None, mark: Mark | None, wish: Wish) -> Step:
    made = 0 if before is not None else 1 + _missing_folders(root, piece.path)
    after = piece.put(piece.seed if before is None else before, wish, made)
    state = State.CURRENT if after == before else State.MISSING if mark is None else State.OUTDATED
    return Step(piece, before, after, state)


def _taken(root: str, piece: Piece) -> Step:
    before = _read(root, piece)
    with _naming(piece):
        mark = _mark(piece, before)
        if before is None or mark is None:
            return Step(piece, before, before, State.MISSING)
        after: bytes | None = piece.take(before)
    if mark.made and after == piece.seed:
        return Step(piece, before, None, State.CURRENT, mark.made - 1)
    return Step(piece, before, after, State.CURRENT)


def _mark(piece: Piece, data: bytes | None) -> Mark | None:
    """The mark of our piece; a file that has none need not even be readable."""
    return piece.mark(data) if data is not None and SIGN in data else None


@contextmanager
def _naming(piece: Piece) -> Iterator[None]:
    """Says in a refusal which file it is about."""
    try:
        yield
    except SetupImpossibleError as exc:
        raise SetupImpossibleError(f"{piece.path}: {exc.message}", hint=exc.hint, file=piece.path) from exc


# --- files -------------------------------------------------------------------------------


def _read(root: str, piece: Piece) -> bytes | None:
    """The file's bytes, or None. SetupImpossibleError for what is no file of the project."""
    path = _inside(root, piece.path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SetupImpossibleError(
                f"{piece.path} is no regular file", hint="Move it out of the way.", file=piece.path
            )
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        raise storage_error(exc, path) from exc


def _inside(root: str, relative: str) -> str:
    """The file with its links resolved; SetupImpossibleError where that leads out of the project."""
    real, path = os.path.realpath(root), os.path.realpath(os.path.join(root, relative))
    if os.path.commonpath((real, path)) != real:
        raise SetupImpossibleError(
            f"{relative} leads outside the project", hint="Edit that file by hand.", file=relative
        )
    return path


def _write(root: str, step: Step) -> None:
    """Put the new bytes in place, unless somebody changed the file since it was read."""
    if _read(root, step.piece) != step.before:
        raise SetupImpossibleError(
            f"{step.piece.path} changed meanwhile", hint="Run setup again.", file=step.piece.path
        )
    path = _inside(root, step.piece.path)
    try:
        if step.after is None:
            _remove(root, path, step.folders)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_atomically(path, step.after)
    except OSError as exc:
        raise storage_error(exc, path) from exc


def _remove(root: str, path: str, folders: int) -> None:
    """The file, and the folders that were made for it while they are empty."""
    os.unlink(path)
    folder = os.path.dirname(path)
    for _ in range(folders):
        if folder == os.path.realpath(root) or os.listdir(folder):
            return
        os.rmdir(folder)
        folder = os.path.dirname(folder)


def _missing_folders(root: str, relative: str) -> int:
    folder, count = os.path.dirname(relative), 0
    while folder and not os.path.isdir(os.path.join(root, folder)):
        folder, count = os.path.dirname(folder), count + 1
    return count


# --- the answer --------------------------------------------------------------------------


def _document(action: str, target: str, steps: list[Step], *, current: bool, dry_run: bool = False) -> Document:
    files = [{"path": step.piece.path, "state": step.state.value, "change": _change(step)} for step in steps]
    return {
        "schema_version": SETUP_SCHEMA,
        "ok": True,
        "action": action,
        "target": target,
        "current": current,
        "files": files,
        **({"dry_run": True} if dry_run else {}),
    }


def _change(step: Step) -> str:
    if step.before == step.after:
        return "none"
    if step.before is None:
        return "created"
    return "deleted" if step.after is None else "edited"
