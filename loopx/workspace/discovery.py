"""Which state a call means: option over environment over the nearest one above (design.md §3).

Linked worktrees of one repository share the main worktree's state, although each may hold a copy of
a tracked `registry.yaml`. Git is not run; its files say where the main worktree is.
"""

from __future__ import annotations

import os
from enum import StrEnum

from loopx.contracts.moved import refuse_moved
from loopx.core.errors import ProjectNotFoundError, ReadOnlyError
from loopx.core.layout import DATABASE_FILE, MOVED_FILE, REGISTRY_FILE, STATE_FOLDER
from loopx.core.value import Value
from loopx.workspace.checkout import Checkout, ancestors, find_checkout, main_worktree

_START_HINT = "Go to the project, name it with --project, or start one with `loopx init`."
_NAME_HINT = "Name the folder that holds .loopx, or start a project there with `loopx init`."


class FoundBy(StrEnum):
    """How the state was found."""

    OPTION = "option"
    ENVIRONMENT = "environment"
    WALK = "walk"
    WORKTREE = "worktree"  # in the main worktree, from a linked one
    DATABASE = "database"  # on the server that LOOPX_DATABASE_URL names


class Location(Value):
    """One project's state, the folder it belongs to, and what people should know about the choice."""

    state_dir: str
    root: str
    found_by: FoundBy
    warnings: tuple[str, ...] = ()


class _Named(Value):
    path: str
    found_by: FoundBy
    spelling: str


def locate(*, option: str | None, environment: str | None, cwd: str | None) -> Location:
    """The state that the call means; a named folder is taken or refused, never passed over.

    ProjectNotFoundError where there is none; ReadOnlyError where a state may not be looked at.
    """
    named = _named(option, environment, cwd)
    if named is not None:
        return _at_named(named)
    location = _walk(_existing(cwd))
    if location is None:
        raise ProjectNotFoundError("there is no .loopx in this folder or above it", hint=_START_HINT)
    return location


def init_target(*, option: str | None, environment: str | None, cwd: str | None) -> Location:
    """Where `init` makes the state: the named or current folder, or its like in the main worktree.

    ProjectNotFoundError for a folder that does not exist. Whether a state is there already is for
    the caller to refuse.
    """
    named = _named(option, environment, cwd)
    folder, found_by = (named.path, named.found_by) if named else (_existing(cwd), FoundBy.WALK)
    is_literal = named is not None and os.path.basename(folder) == STATE_FOLDER
    folder = os.path.realpath(os.path.dirname(folder) if is_literal else folder)
    if named and not os.path.isdir(folder):
        fault = f"{named.spelling} names no folder that exists"
        raise ProjectNotFoundError(fault, hint="Make the folder first.")
    state = os.path.join(folder, STATE_FOLDER)
    checkout = find_checkout(folder)
    if is_literal or checkout is None or not checkout.is_linked:
        return _location(state, found_by)
    main = main_worktree(checkout)
    if main is None:
        return _location(state, found_by, _local_warning(main))
    like = next(like for like in ancestors(_like(folder, checkout, main)) if os.path.isdir(like))
    warning = "the state belongs to the main worktree, so that all worktrees of the repository share it"
    return _location(os.path.join(like, STATE_FOLDER), found_by, warning)


def server_location(*, option: str | None, environment: str | None, cwd: str | None) -> Location:
    """The folder of a project whose state is on a server; below its `.loopx` lies what is this machine's alone.

    That folder need not be there. ProjectNotFoundError for a named folder that does not exist.
    """
    target = init_target(option=option, environment=environment, cwd=cwd)
    here = target.state_dir if target.found_by is not FoundBy.WALK else _nearest(target.root)
    unused = _has(here, DATABASE_FILE) and not _has(here, MOVED_FILE)
    warnings = ("the .loopx/loopx.db here is not used while LOOPX_DATABASE_URL is set",) if unused else ()
    return Location(here, os.path.dirname(here), FoundBy.DATABASE, warnings)


def _has(folder: str, name: str) -> bool:
    return os.path.lexists(os.path.join(folder, name))


def _nearest(folder: str) -> str:
    """The `.loopx` above that is there, or the one that the checkout or the folder itself would have."""
    checkout = find_checkout(folder)
    above = ancestors(folder)
    found = next((one for one in above if os.path.isdir(os.path.join(one, STATE_FOLDER))), None)
    return os.path.join(found or (checkout.root if checkout else folder), STATE_FOLDER)


# --- named -------------------------------------------------------------------------------


def _named(option: str | None, environment: str | None, cwd: str | None) -> _Named | None:
    if option is not None:
        return _Named(_absolute(option, "--project", cwd), FoundBy.OPTION, "--project")
    if environment is not None:
        return _Named(_absolute(environment, "LOOPX_PROJECT", cwd), FoundBy.ENVIRONMENT, "LOOPX_PROJECT")
    return None


def _absolute(path: str, spelling: str, cwd: str | None) -> str:
    if not path:
        raise ProjectNotFoundError(f"{spelling} is empty", hint=_NAME_HINT)
    return os.path.normpath(path if os.path.isabs(path) else os.path.join(_existing(cwd), path))


def _existing(cwd: str | None) -> str:
    if cwd is None:
        raise ProjectNotFoundError(
            "the current folder does not exist any more",
            hint="Go to a folder that exists, or name the project by its absolute path with --project.",
        )
    return os.path.realpath(cwd)


def _at_named(named: _Named) -> Location:
    location = _at_folder(os.path.realpath(named.path), named.found_by) if os.path.isdir(named.path) else None
    if location is not None:
        return location
    fault = "holds no .loopx" if os.path.isdir(named.path) else "does not exist"
    raise ProjectNotFoundError(f"the folder that {named.spelling} names {fault}", hint=_NAME_HINT)


def _at_folder(folder: str, found_by: FoundBy) -> Location | None:
    """The state of exactly this project folder, or the state that the folder is."""
    checkout = find_checkout(folder)
    location = _shared(checkout, [folder]) or _local(checkout, [folder])
    if location is not None:
        return location._replace(found_by=found_by)
    is_named_so = os.path.basename(folder) == STATE_FOLDER
    if _is_state(folder) and (is_named_so or os.path.lexists(os.path.join(folder, DATABASE_FILE))):
        return _location(folder, found_by)
    return None


# --- above -------------------------------------------------------------------------------


def _walk(start: str) -> Location | None:
    """The nearest state at or above the folder, checkout by checkout, then outside of all."""
    checkout = find_checkout(start)
    above = ancestors(start)
    inside = above[: above.index(checkout.root) + 1] if checkout else above
    location = _shared(checkout, inside) or _local(checkout, inside)
    if location is not None or len(inside) == len(above):
        return location
    return _walk(above[len(inside)])


def _shared(checkout: Checkout | None, folders: list[str]) -> Location | None:
    """The main worktree's state for these folders of a linked worktree."""
    main = main_worktree(checkout) if checkout and checkout.is_linked else None
    if checkout is None or main is None:
        return None
    warnings: list[str] = []
    for folder in folders:
        state = os.path.join(_like(folder, checkout, main), STATE_FOLDER)
        own = os.path.join(folder, STATE_FOLDER)
        if _is_state(state):
            return _location(state, FoundBy.WORKTREE, *warnings, *_copy_warnings(own, state))
        if _is_state(own):
            warnings.append("a nearer .loopx that only this worktree has is not used")
    return None


def _local(checkout: Checkout | None, folders: list[str]) -> Location | None:
    """The nearest state among the folders themselves."""
    warnings: list[str] = []
    if checkout and not checkout.is_whole:
        warnings.append("the .git here leads nowhere, so the main worktree is unknown; see `git worktree repair`")
    for folder in folders:
        state = os.path.join(folder, STATE_FOLDER)
        if _is_state(state):
            if checkout and checkout.is_linked:
                warnings.append(_local_warning(main_worktree(checkout)))
            return _location(state, FoundBy.WALK, *warnings)
    return None


def _like(folder: str, checkout: Checkout, main: str) -> str:
    """The same folder in the main worktree."""
    return os.path.normpath(os.path.join(main, os.path.relpath(folder, checkout.root)))


def _local_warning(main: str | None) -> str:
    why = "the main worktree has no .loopx" if main else "the repository has no main worktree"
    return f"{why}, so this state is this worktree's own and its other worktrees do not see it"


def _copy_warnings(own: str, state: str) -> list[str]:
    """What a linked worktree's own `.loopx` holds that the state in use does not."""
    warnings = []
    copy = _bytes(os.path.join(own, REGISTRY_FILE))
    if copy is not None and copy != _bytes(os.path.join(state, REGISTRY_FILE)):
        warnings.append("this worktree's own .loopx/registry.yaml differs from the main worktree's, which counts")
    if os.path.lexists(os.path.join(own, DATABASE_FILE)):
        warnings.append("this worktree's own .loopx/loopx.db is not used; the main worktree's counts")
    return warnings


def _location(state_dir: str, found_by: FoundBy, *warnings: str) -> Location:
    return Location(state_dir, os.path.dirname(state_dir), found_by, warnings)


def _is_state(folder: str) -> bool:
    """Whether the folder holds a registry or a database; an empty `.loopx` is no state."""
    if not os.path.isdir(folder):
        return False
    try:
        names = set(os.listdir(folder))
    except PermissionError as exc:
        raise ReadOnlyError(
            f"a {os.path.basename(folder)} folder is there and may not be looked into",
            hint="Check its permissions, or name another project with --project.",
        ) from exc
    if MOVED_FILE in names:
        refuse_moved(folder)
    return REGISTRY_FILE in names or DATABASE_FILE in names


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
