"""`init`: a state folder that is whole from the first instant on."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

from loopx import failpoint
from loopx.app.mutation import Call, Document, Outcome, Work, intent_of, mutate
from loopx.contracts.goal_document import goal_document
from loopx.core.command import command
from loopx.core.errors import AlreadyInitialisedError, UsageError
from loopx.core.name import normalise_name
from loopx.core.value import Value
from loopx.files import storage_error, sync_folder, write_atomically
from loopx.registry.write import NewGoal, initial_registry
from loopx.store.operations import recorded_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.store.postgres.database import PostgresStore
    from loopx.workspace.discovery import Location

INIT_SCHEMA = "init_v1"
GITIGNORE = (
    b"# The database and the locks belong to this machine; the registry is shared.\n*\n!.gitignore\n!registry.yaml\n"
)
_TAKEN = frozenset((errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EISDIR))


class NewProject(Value):
    """What `init` takes; without a goal id the registry starts without a goal."""

    goal_id: str | None = None
    objective: str | None = None
    acceptance: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


def initialise(target: Location, call: Call, new: NewProject, open_at: Callable[[Location], Project]) -> Document:
    """Make the state beside its place and rename it there, so that nobody ever sees half of one.

    AlreadyInitialisedError where anything is there, also where another process was first; UsageError.
    """
    registry = initial_registry(_goals(new))
    project = open_at(target)
    if project.server is not None:
        return _made_on_server(project, project.server, call, registry)
    if _is_taken(target.state_dir):
        return _earlier_answer(target, call, open_at)
    unfinished = f"{target.state_dir}.{project.ids.new('new')}"
    try:
        document = _built(target._replace(state_dir=unfinished), call, registry, open_at)
        if not call.dry_run:
            _put_in_place(unfinished, target)
        return document
    except OSError as exc:
        raise storage_error(exc, target.state_dir) from exc
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _is_taken(folder: str) -> bool:
    """Whether anything is there; an empty folder holds no state and gives way."""
    if not os.path.lexists(folder):
        return False
    return os.path.islink(folder) or not os.path.isdir(folder) or bool(os.listdir(folder))


def _goals(new: NewProject) -> tuple[NewGoal, ...]:
    if new.goal_id is None:
        if new.objective or new.acceptance or new.agents:
            raise UsageError(
                "objective, acceptance and agents belong to a goal",
                hint="Name it with --goal-id, or leave them out and add goals later.",
            )
        return ()
    if new.objective is None:
        raise UsageError("a goal needs its objective", hint="Say with --objective what shall be true at its end.")
    agents = dict.fromkeys(normalise_name(agent, what="agent id") for agent in new.agents)
    return (NewGoal(new.goal_id, new.objective, new.acceptance, tuple(agents)),)


def _built(target: Location, call: Call, registry: bytes, open_at: Callable[[Location], Project]) -> Document:
    """Write the files and the first event, and leave everything closed and on the disk."""
    folder = target.state_dir
    os.mkdir(folder)
    project = open_at(target)
    write_atomically(project.paths.registry, registry)
    write_atomically(os.path.join(folder, ".gitignore"), GITIGNORE)
    try:
        return mutate(project, call, _first_event)
    finally:
        project.close()
        sync_folder(folder)


def _first_event(work: Work) -> Outcome:
    body: Document = {
        "schema_version": INIT_SCHEMA,
        "ok": True,
        "goals": [goal_document(goal) for goal in work.registry.goals()],
    }
    return Outcome(body, next_command=command("status"), warnings=work.project.location.warnings)


def _made_on_server(project: Project, server: PostgresStore, call: Call, registry: bytes) -> Document:
    """Tables, registry and first event in one transaction; AlreadyInitialisedError where a project is there."""
    server.found_with_next_write(registry)
    try:
        return mutate(project, call, _first_event)
    except AlreadyInitialisedError:
        answer = _recorded(project, call)
        if answer is None:
            raise
        return answer
    finally:
        project.close()


def _put_in_place(unfinished: str, target: Location) -> None:
    """Give the finished folder its name; AlreadyInitialisedError where another process was first."""
    failpoint.reach("init: built")
    try:
        os.rename(unfinished, target.state_dir)
        failpoint.reach("init: renamed")
    except OSError as exc:
        if exc.errno in _TAKEN:
            raise _already_initialised() from exc
        raise
    sync_folder(target.root)


def _earlier_answer(target: Location, call: Call, open_at: Callable[[Location], Project]) -> Document:
    """The answer that this very operation got when it made the state; AlreadyInitialisedError otherwise."""
    if call.operation_id is None or not os.path.isdir(target.state_dir):
        raise _already_initialised()
    project = open_at(target)
    try:
        answer = _recorded(project, call)
    finally:
        project.close()
    if answer is None:
        raise _already_initialised()
    return answer


def _recorded(project: Project, call: Call) -> Document | None:
    """The answer that this very operation got before, if it did."""
    operation_id = call.operation_id
    if operation_id is None:
        return None
    answer = project.store.read(lambda db: recorded_answer(db, operation_id, intent_of(call)))
    if answer is not None:
        answer["receipt"]["replayed"] = True
    return answer


def _already_initialised() -> AlreadyInitialisedError:
    return AlreadyInitialisedError(
        "there is a .loopx in this folder already", hint="Use it; `loopx where` tells which one it is."
    )
