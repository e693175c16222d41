"""An edge that stays open: one project, one identity and one role for all its calls, in one thread.

SQLite connections belong to the thread that made them and do not survive a fork, so a session refuses to be
used anywhere else (docs/decisions/0028-python-api.md).
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from loopx.app.identity import acting, acting_role
from loopx.app.mutation import Call
from loopx.app.place import working_directory
from loopx.app.project import Project
from loopx.core.errors import ActorRequiredError, UsageError
from loopx.core.name import normalise_name
from loopx.core.value import Value
from loopx.settings import refuse_odd_words
from loopx.workspace.discovery import init_target, locate, server_location

if TYPE_CHECKING:
    from loopx.app.init import NewProject
    from loopx.app.mutation import Document
    from loopx.core.actor import Actor
    from loopx.ports import Clock, IdSource, TokenSource
    from loopx.settings import Settings
    from loopx.workspace.discovery import Location


class Outside(Value):
    """The clock, the ids and the tokens of a session; tests bring their own."""

    clock: Clock
    ids: IdSource
    tokens: TokenSource


class Identity(Value):
    """Who a session is, over what the environment says: an agent, or None for a person; a goal, where one is meant."""

    agent_id: str | None = None
    role: str | None = None
    goal_id: str | None = None


class How(Value):
    """What any mutating call may say beside its own request (cli.md)."""

    operation_id: str | None = None
    reason: str | None = None
    dry_run: bool = False
    full: bool = False
    as_user: bool = False
    claim_token: str | None = None
    authority_reason: str | None = None


class Session:
    """The project of one identity, kept open. Not for use in another thread or process than the one that made it."""

    def __init__(self, location: Location, identity: Identity, settings: Settings, outside: Outside) -> None:
        """IdentityMismatchError, RoleNotAllowedError and UsageError for an identity that may not be taken."""
        self._settings = identified(settings, identity)
        self.goal_id = normalise_name(identity.goal_id, what="goal id") if identity.goal_id is not None else None
        self._owner = _here()
        self._outside = outside
        self._project: Project | None = open_project(location, settings, outside)

    @property
    def project(self) -> Project:
        """The open project. UsageError in another thread or process, and after `close`."""
        if self._owner != _here():
            raise UsageError(
                "an open project belongs to the thread and process that opened it",
                hint="Open it once in each thread and after each fork; that costs a few milliseconds.",
            )
        if self._project is None:
            raise UsageError("the project was closed", hint="Open it again.")
        return self._project

    @property
    def role(self) -> str | None:
        """The role that limits what may be done, or None."""
        return self._settings.role

    @property
    def agent_id(self) -> str | None:
        """The agent that acts, or None for a person."""
        return self._settings.agent_id

    def agent(self) -> str:
        """The agent that acts; ActorRequiredError for a person."""
        if self.agent_id is None:
            raise ActorRequiredError("this needs an agent", hint="Open the project with an agent id.")
        return self.agent_id

    def call(self, action: str, request: object, how: How, **more: Any) -> Call:
        """The mutating call of this identity; the request is its intent."""
        actor = self._actor(how)
        return Call(
            action=action,
            actor=actor,
            intent=[self.goal_id, actor.agent_id, how.reason, _plain(request)],
            goal_id=self.goal_id,
            role=self.role,
            **dict(zip(how._fields, how, strict=True)),
            **more,
        )

    def _actor(self, how: How) -> Actor:
        return acting(self._settings, None, as_user=how.as_user, reason=how.reason)

    def told(self, document: Document) -> Document:
        """The answer as every edge gives it: with what finding the project had to say."""
        assert self._project is not None
        document["warnings"] = [*self._project.location.warnings, *document.get("warnings", ())]
        return document

    def close(self) -> None:
        """Close the connections; a second time is fine. UsageError in another thread or process."""
        if self._project is not None:
            self.project.close()
            self._project = None


def identified(settings: Settings, identity: Identity) -> Settings:
    """The settings under that identity; IdentityMismatchError, RoleNotAllowedError, UsageError."""
    refuse_odd_words(settings)
    actor = acting(settings, identity.agent_id)
    taken = settings._replace(agent_id=actor.agent_id, role=acting_role(settings, identity.role))
    refuse_odd_words(taken)
    return taken


def open_session(path: str | None, identity: Identity, settings: Settings, outside: Outside | None = None) -> Session:
    """The session on the project at that path, or on the one that the environment or the current folder means.

    ProjectNotFoundError, and the refusals of `Session`.
    """
    find = locate if settings.database_url is None else server_location
    location = find(option=path, environment=settings.project, cwd=working_directory())
    return Session(location, identity, settings, outside or real_outside())


def start_project(path: str, new: NewProject, settings: Settings) -> Document:
    """Make a project's state in that folder, as a person or as who the environment names. AlreadyInitialisedError."""
    from loopx.app.init import initialise

    target = init_target(option=path, environment=None, cwd=working_directory())
    actor = acting(identified(settings, Identity()), None)
    call = Call(
        "project_initialised", actor, intent=_plain(new), goal_id=new.goal_id, role=settings.role,
        needs_active_goal=False,
    )  # fmt: skip
    outside = real_outside()
    return initialise(target, call, new, lambda location: open_project(location, settings, outside))


def open_project(location: Location, settings: Settings, outside: Outside) -> Project:
    """The project at that place; nothing is read yet."""
    clock, ids, tokens = outside
    return Project(
        location,
        clock=clock,
        ids=ids,
        tokens=tokens,
        timeout=settings.busy_timeout,
        database_url=settings.database_url,
    )


def real_outside() -> Outside:
    """The system's clock, ids and tokens."""
    from loopx.system import RandomIds, RandomTokens, SystemClock

    return Outside(SystemClock(), RandomIds(), RandomTokens())


def _here() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _plain(request: object) -> object:
    """The request as JSON may hold it: a set in order."""
    if isinstance(request, frozenset):
        return sorted(request)
    if isinstance(request, tuple):
        return [_plain(part) for part in request]
    return request
