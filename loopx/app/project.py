"""An opened project: where its state is, its store, and the registry as the file says it now."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from loopx.app.registry_text import RegistryFile, StoredRegistry
from loopx.core.digest import sha256_hex
from loopx.core.errors import AgentNotRegisteredError, GoalNotFoundError, NotOnServerError, UsageError
from loopx.core.instant import Duration, Instant
from loopx.core.value import Value
from loopx.registry.cache import decode_goal, encode_goal
from loopx.settings import BUSY_TIMEOUT
from loopx.store.database import Store, project_id
from loopx.store.paths import state_paths
from loopx.store.registry_cache import cached_goal, cached_goal_ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.registry_text import RegistryText
    from loopx.core.goal import Goal
    from loopx.ports import Clock, IdSource, TokenSource
    from loopx.registry.model import Registry as ParsedRegistry
    from loopx.store.connection import Connection, StateStore
    from loopx.store.postgres.database import PostgresStore
    from loopx.workspace.discovery import Location

T = TypeVar("T")


class Registry(Value):
    """The goals of the registry's present bytes; a goal is decoded when it is asked for."""

    sha256: str
    goal_ids: tuple[str, ...]
    encoded: Callable[[str], str | None]
    is_cached: bool
    legacy_goals: tuple[str, ...] = ()  # those that still name the hierarchy of old

    def find(self, goal_id: str) -> Goal | None:
        """The goal of that id, or None."""
        text = self.encoded(goal_id)
        return decode_goal(text) if text is not None else None

    def goal(self, goal_id: str | None) -> Goal:
        """The goal; the only one where none is named. GoalNotFoundError, UsageError."""
        if goal_id is None:
            goal_id = self._only_goal()
        goal = self.find(goal_id)
        if goal is None:
            raise GoalNotFoundError(
                f"there is no goal {goal_id!r}{near(goal_id, self.goal_ids)}",
                hint="`loopx goal list` shows the goals.",
                goal_id=goal_id,
            )
        return goal

    def goals(self) -> tuple[Goal, ...]:
        """All goals, in file order."""
        return tuple(self.goal(goal_id) for goal_id in self.goal_ids)

    def _only_goal(self) -> str:
        if len(self.goal_ids) == 1:
            return self.goal_ids[0]
        if not self.goal_ids:
            raise GoalNotFoundError("the project has no goal yet", hint="Add one with `loopx goal add`.")
        raise UsageError(
            "the project has several goals and none was named",
            hint="Say which with --goal-id; `loopx goal list` shows them.",
        )


class Snapshot(Value):
    """One read transaction: the database, the registry beside it, and the moment of asking."""

    db: Connection
    registry: Registry
    now: Instant
    state: str


class Project:
    """What every use case works on. Clock, ids and tokens are injected.

    With a `database_url` everything that hosts share is on that server, the registry too, and its clock counts for
    all of them. ExtraMissingError.
    """

    def __init__(
        self,
        location: Location,
        *,
        clock: Clock,
        ids: IdSource,
        tokens: TokenSource,
        timeout: Duration = BUSY_TIMEOUT,
        database_url: str | None = None,
    ) -> None:
        self.location = location
        self.database_url = database_url
        self.paths = state_paths(location.state_dir)
        self.clock = clock
        self.ids = ids
        self.timeout = timeout
        self.store: StateStore
        self.server: PostgresStore | None = None
        self.registry_text: RegistryText
        self._seen: SeenRegistry | None = None
        if database_url is None:
            self.store = Store(self.paths, clock=clock, ids=ids, tokens=tokens, timeout=timeout)
            self.registry_text = RegistryFile(self.paths.registry, timeout=timeout)
        else:
            from loopx.app.extra import module_of_extra

            server = module_of_extra("loopx.store.postgres.database", "postgres")
            self.server = server.PostgresStore(database_url, clock=clock, ids=ids, tokens=tokens, timeout=timeout)
            self.store, self.clock = self.server, self.server.clock
            self.registry_text = StoredRegistry()

    @property
    def is_embedded(self) -> bool:
        """Whether the state is in files of the state folder."""
        return isinstance(self.store, Store)

    @property
    def embedded(self) -> Store:
        """The store in the state folder. NotOnServerError where the project is on a database server."""
        if not isinstance(self.store, Store):
            raise NotOnServerError(
                "this works on the files of a project, and this project is on a database server",
                hint="Use the server's own tools there, such as pg_dump.",
            )
        return self.store

    def read(self, query: Callable[[Snapshot], T]) -> T:
        """The query's answer on one snapshot of database and registry."""

        def ask(db: Connection) -> T:
            return query(Snapshot(db, self.registry(db), self.store.now(db), project_id(db)))

        return self.store.read(ask)

    def now(self) -> Instant:
        """The present instant, by the clock that counts for this project."""
        return self.store.read(self.store.now)

    def registry(self, db: Connection) -> Registry:
        """The registry as its text says it now; what was read before serves again while the bytes are the same.

        RegistryInvalidError where it is missing or wrong.
        """
        data = self.registry_text.read(db)
        if self._seen is None or self._seen.data != data:
            self._seen = SeenRegistry(data)
        return self._seen.registry(db, self.registry_text.name)

    def forget_registry(self) -> None:
        """Let the next look at the registry start from its text and the tables."""
        self._seen = None

    def another(self) -> Project:
        """The same project over connections of its own, for another thread."""
        return Project(
            self.location,
            clock=self.clock,
            ids=self.ids,
            tokens=self.store.tokens,
            timeout=self.timeout,
            database_url=self.database_url,
        )

    def close(self) -> None:
        """Close the store's connections."""
        self.store.close()


class SeenRegistry:
    """What is known of one content of the registry file; whatever it tells follows from these bytes alone."""

    __slots__ = ("_goal_ids", "_texts", "data", "sha256")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.sha256 = sha256_hex(data)
        self._goal_ids: tuple[str, ...] = ()
        self._texts: dict[str, str | None] = {}

    def registry(self, db: Connection, path: str) -> Registry:
        """The registry of the bytes: from here, from the database's cache, or parsed. RegistryInvalidError."""
        self._goal_ids = self._goal_ids or cached_goal_ids(db, self.sha256)
        if not self._goal_ids:
            return parsed_registry(self.data, self.sha256, path)

        def encoded(goal_id: str) -> str | None:
            if goal_id not in self._texts and goal_id in self._goal_ids:
                # The cache holds one content, and by now that may be another one.
                text = cached_goal(db, self.sha256, goal_id)
                self._texts[goal_id] = text or parsed_registry(self.data, self.sha256, path).encoded(goal_id)
            return self._texts.get(goal_id)

        return Registry(self.sha256, self._goal_ids, encoded, is_cached=True)


def parsed_registry(data: bytes, sha256: str, path: str) -> Registry:
    """The registry of these bytes, parsed; RegistryInvalidError."""
    from loopx.registry.read import parse_registry  # YAML only where the cache is stale

    return registry_of(parse_registry(data, source=path), sha256)


def registry_of(parsed: ParsedRegistry, sha256: str) -> Registry:
    """The registry of a parsed file."""
    goals = {goal.goal_id: encode_goal(goal) for goal in parsed.goals}
    legacy = tuple(model.goal_id for model in parsed.legacy_models)
    return Registry(sha256, tuple(goals), goals.get, is_cached=False, legacy_goals=legacy)


def near(name: str, known: tuple[str, ...]) -> str:
    """`; did you mean …?` for a near match, or nothing."""
    from loopx.core.name import near_match

    match = near_match(name, known)
    return f"; did you mean {match!r}?" if match else ""


def registered_agent(goal: Goal, agent_id: str) -> str:
    """The id, if a registered agent that is not retired has it; never *the first agent* (W2.4).

    AgentNotRegisteredError with the near match, or saying that the agent is retired.
    """
    agent = goal.agent(agent_id)
    if agent is None:
        known = tuple(known.agent_id for known in goal.agents)
        raise AgentNotRegisteredError(
            f"{agent_id!r} is not a registered agent of {goal.goal_id}{near(agent_id, known)}",
            hint=f"`loopx agent list --goal-id {goal.goal_id}` shows the registered agents.",
            agent_id=agent_id,
            goal_id=goal.goal_id,
        )
    if agent.retired:
        raise AgentNotRegisteredError(
            f"{agent_id} is retired from {goal.goal_id}",
            hint="Register a new agent, or act as another one.",
            agent_id=agent_id,
        )
    return agent_id
