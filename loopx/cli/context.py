"""One call from the outside: its settings, its options wherever they stood, and the project it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.place import working_directory as working_directory  # noqa: PLC0414 - commands take it from here
from loopx.core.errors import ActorRequiredError, UsageError
from loopx.core.value import Value
from loopx.settings import FORMATS, Settings, refuse_odd_words, settings_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.app.mutation import Call
    from loopx.app.project import Project
    from loopx.core.actor import Actor
    from loopx.ports import Clock, IdSource, Sleeper, TokenSource
    from loopx.workspace.discovery import Location


class Ports(Value):
    """The outside that tests replace."""

    clock: Clock
    ids: IdSource
    tokens: TokenSource
    sleeper: Sleeper | None = None


class Invocation:
    """What the commands share: options of every level, settings of the environment, the open project."""

    def __init__(self, settings: Settings, ports: Ports | None) -> None:
        self.settings = settings
        self.ports = ports
        self.options: dict[str, Any] = {}
        self.parameters: dict[str, Any] = {}
        self._project: Project | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str], ports: Ports | None) -> Invocation:
        """An invocation under that environment."""
        return cls(settings_from(environment), ports)

    def check_settings(self) -> None:
        """UsageError for a word that no setting has: a misspelt role or identity must not count as none.

        A wrong format is answered in JSON, which any caller reads.
        """
        chosen = self.options["format"]
        if chosen not in FORMATS:
            self.options["format"] = "json"
            raise UsageError(f"{chosen!r} is not a format", hint="--format and LOOPX_FORMAT are text or json.")
        refuse_odd_words(self.settings)

    @property
    def is_json(self) -> bool:
        return bool(self.options["format"] == "json")

    def project(self) -> Project:
        """The project of this call, opened once. ProjectNotFoundError."""
        if self._project is None:
            from loopx.workspace.discovery import locate, server_location

            find = locate if self.settings.database_url is None else server_location
            self._project = self.open(
                find(
                    option=self.options.get("project"),
                    environment=self.settings.project,
                    cwd=working_directory(),
                )
            )
        return self._project

    def open(self, location: Location) -> Project:
        """The project at that place, under this call's clock, ids and patience; nothing is read yet."""
        from loopx.app.project import Project

        ports = self.real_ports()
        return Project(
            location,
            clock=ports.clock,
            ids=ports.ids,
            tokens=ports.tokens,
            timeout=self.settings.busy_timeout,
            database_url=self.settings.database_url,
        )

    def real_ports(self) -> Ports:
        """The injected ports, or the system's."""
        if self.ports is None:
            from loopx.system import RandomIds, RandomTokens, SystemClock

            self.ports = Ports(SystemClock(), RandomIds(), RandomTokens())
        return self.ports

    def sleeper(self) -> Sleeper:
        """The injected sleeper, or the system's."""
        from loopx.system import SystemSleeper

        return self.real_ports().sleeper or SystemSleeper()

    @property
    def goal_id(self) -> str | None:
        """The goal that was named, in its one spelling."""
        given = self.options.get("goal_id")
        if given is None:
            return None
        from loopx.core.name import normalise_name

        return normalise_name(given, what="goal id")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What finding the project had to say."""
        return self._project.location.warnings if self._project else ()

    def actor(self, named: str | None = None) -> Actor:
        """Who acts: the option over the environment over nobody, which means a person (cli.md).

        IdentityMismatchError where the identity is fixed and another agent is named (S2.3).
        """
        from loopx.app.identity import acting

        option = self.options.get("agent_id")
        if named is not None and option not in (None, named):
            raise UsageError(f"the call names two actors, {named!r} and {option!r}", hint="Name one of them.")
        return acting(
            self.settings,
            named if named is not None else option,
            as_user=bool(self.options.get("as_user")),
            reason=self.options.get("reason"),
        )

    def agent(self) -> str:
        """The agent that this call is about; ActorRequiredError where none is named."""
        actor = self.actor()
        if actor.agent_id is None:
            raise ActorRequiredError("this command needs an agent", hint="Name it with --agent-id.")
        return actor.agent_id

    def call(self, action: str, *, actor: Actor | None = None, **more: Any) -> Call:
        """The mutating call that these options make; its intent is every parameter that was given."""
        from loopx.app.mutation import Call

        options = self.options
        intent = dict(sorted(self.parameters.items()))
        who = actor or self.actor()
        return Call(
            action=action,
            actor=who,
            intent=[self.goal_id, who.agent_id, options.get("reason"), intent],
            goal_id=self.goal_id,
            reason=options.get("reason"),
            operation_id=options.get("operation_id"),
            dry_run=bool(options.get("dry_run")),
            full=bool(options.get("full")),
            as_user=bool(options.get("as_user")),
            claim_token=options.get("claim_token"),
            authority_reason=options.get("authority_reason"),
            role=self.settings.role,
            **more,
        )

    def close(self) -> None:
        """Close the project, if one was opened."""
        if self._project is not None:
            self._project.close()
