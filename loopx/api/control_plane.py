"""`loopx.ControlPlane`: a project kept open for one identity, with a method for each verb."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, Unpack, cast

from loopx.api.desk import LIMIT, Desk, page
from loopx.api.gates import Facts, Gates, Monitors
from loopx.api.how import Changing, Holding, member, told_how, words
from loopx.api.leases import Leases
from loopx.api.messages import Handoffs, Messages
from loopx.api.span import microseconds, time_text
from loopx.api.todos import Todos, capability_names
from loopx.app.decide import Question, should_run
from loopx.app.goal_view import show_goal
from loopx.app.inbox import read_inbox
from loopx.app.init import NewProject
from loopx.app.log import LogFilter, read_log
from loopx.app.place import working_directory, workspace_at
from loopx.app.run import RunReport, refresh_state
from loopx.app.session import Identity, open_session, start_project
from loopx.app.spend import Spend, quota_status, spend_slot
from loopx.app.status import read_status
from loopx.app.wait import wait_to_run
from loopx.app.where import where
from loopx.core.name import normalise_name
from loopx.core.run import RunKind
from loopx.settings import settings_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from loopx.api.document import (
        GoalV1,
        InboxV1,
        InitV1,
        LogV1,
        QuotaShouldRunV1,
        QuotaStatusV1,
        RunV1,
        SpendV1,
        StatusV1,
        WhereV1,
    )
    from loopx.api.span import Moment, Span
    from loopx.app.session import Outside

Role = Literal["lead", "subagent", "teammate"]


class ControlPlane(Desk):
    """One project, kept open for one identity in one role.

    >>> with ControlPlane(agent_id="agent-a") as plane:            # doctest: +SKIP
    ...     decision = plane.should_run(capabilities=["shell"])

    Methods answer with the documents of the command line, as plain dicts whose types are in
    `loopx.api.document`, and refuse with a `LoopxError`. A plane belongs to the thread and the process that made
    it; anywhere else it refuses.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        agent_id: str | None = None,
        goal_id: str | None = None,
        role: Role | None = None,
        environment: Mapping[str, str] | None = None,
        busy_timeout: Span | None = None,
        outside: Outside | None = None,
    ) -> None:
        """Open the project at the path, or the one that the environment or the current folder means.

        Without an agent id the plane is the environment's agent, and without that a person. A fixed identity or
        role of the environment is not changed (S2.3). ProjectNotFoundError, IdentityMismatchError,
        RoleNotAllowedError, UsageError. `outside` is for tests: the clock, the ids and the tokens.
        """
        settings = settings_from(os.environ if environment is None else environment)
        if busy_timeout is not None:
            settings = settings._replace(busy_timeout=microseconds(busy_timeout))
        identity = Identity(agent_id, role, goal_id)
        super().__init__(open_session(None if path is None else os.fspath(path), identity, settings, outside))
        self.todos = Todos(self._session)
        self.leases = Leases(self._session)
        self.gates = Gates(self._session)
        self.monitors = Monitors(self._session)
        self.facts = Facts(self._session)
        self.messages = Messages(self._session)
        self.handoffs = Handoffs(self._session)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a second time is fine."""
        self._session.close()

    @property
    def agent_id(self) -> str | None:
        """The agent that acts through this plane, or None for a person."""
        return self._session.agent_id

    @property
    def role(self) -> str | None:
        """The role that limits what it may do, or None."""
        return self._session.role

    @property
    def goal_id(self) -> str | None:
        """The goal that the calls are about, where one was named."""
        return self._session.goal_id

    # --- decide, write back, account -----------------------------------------------------

    def should_run(
        self,
        *,
        capabilities: Iterable[str] | None = None,
        workspace: str | None = None,
        explain: bool = False,
        wait: Span | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> QuotaShouldRunV1:
        """One decision for this agent now (W7). It writes nothing.

        `wait` looks again whenever something changes, at most for so long, before it says no; the thread sleeps
        meanwhile. `explain` adds every drop, a page of them. ActorRequiredError, GraphInvalidError.
        """
        session = self._session
        question = Question(
            session.goal_id, session.agent(), capability_names(capabilities), workspace or working_directory()
        )
        explained = page(limit, cursor) if explain else None
        if wait is None:
            document = should_run(self._project, question, explained=explained)
        else:
            from loopx.system import SystemSleeper

            span = microseconds(wait)
            document = wait_to_run(self._project, question, span, explained=explained, sleeper=SystemSleeper())
        return cast("QuotaShouldRunV1", self._told(document))

    def refresh_state(
        self,
        todo_id: str,
        *,
        run_kind: RunKind | Literal["work", "status"],
        evidence: str,
        validation: str | None = None,
        next_action: str | None = None,
        stop_condition: str | None = None,
        workspace: str | None = None,
        **options: Unpack[Holding],
    ) -> RunV1:
        """Write a run back: evidence, validation, and the identity of the place it was done in (W9.3)."""
        report = RunReport(todo_id, member(RunKind, run_kind), evidence, validation, next_action, stop_condition)
        call = self._session.call("run_recorded", report, told_how(options))
        place = workspace_at(workspace or working_directory())
        return cast("RunV1", self._told(refresh_state(self._project, call, report, place)))

    def spend(
        self,
        run_id: str,
        *,
        tokens: int = 0,
        cost: float = 0.0,
        seconds: float = 0.0,
        workspace: str | None = None,
        **options: Unpack[Changing],
    ) -> SpendV1:
        """Book a validated work run, once, from the place it was recorded in. SpendAlreadyRecordedError."""
        spend = Spend(run_id, tokens, cost, seconds)
        call = self._session.call("slot_spent", spend, told_how(options))
        place = workspace_at(workspace or working_directory())
        return cast("SpendV1", self._told(spend_slot(self._project, call, spend, place)))

    def quota(self, *, limit: int = LIMIT, cursor: str | None = None) -> QuotaStatusV1:
        """What the goal (or each) may spend, what its window holds, and by agent and day."""
        document = quota_status(self._project, self._session.goal_id, page(limit, cursor))
        return cast("QuotaStatusV1", self._told(document))

    # --- look ----------------------------------------------------------------------------

    def inbox(self, *, limit: int = LIMIT, cursor: str | None = None) -> InboxV1:
        """What waits for a person: gates to answer and actions to take."""
        return cast("InboxV1", self._told(read_inbox(self._project, self._session.goal_id, page(limit, cursor))))

    def status(self, *, limit: int = LIMIT, cursor: str | None = None) -> StatusV1:
        """The goal (or each) at a glance."""
        return cast("StatusV1", self._told(read_status(self._project, self._session.goal_id, page(limit, cursor))))

    def goal(self) -> GoalV1:
        """The goal, with its agents, its budget and what is missing for its closure."""
        return cast("GoalV1", self._told(show_goal(self._project, self._session.goal_id)))

    def log(
        self,
        *,
        todo_id: str | None = None,
        since: Moment | None = None,
        action: str | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> LogV1:
        """What happened, oldest first: who, what, why, and every value before and after."""
        wanted = LogFilter(self._session.goal_id, todo_id, time_text(since), action)
        return cast("LogV1", self._told(read_log(self._project, wanted, page(limit, cursor))))

    def where(self) -> WhereV1:
        """Which state this is and how it was found: the one document that tells a path."""
        return cast("WhereV1", self._told(where(self._project)))


def create_project(
    path: str | os.PathLike[str],
    *,
    goal_id: str | None = None,
    objective: str | None = None,
    acceptance: Iterable[str] = (),
    agents: Iterable[str] = (),
) -> InitV1:
    """Make a project's state in that folder, with its first goal or without one. AlreadyInitialisedError."""
    goal = None if goal_id is None else normalise_name(goal_id, what="goal id")
    new = NewProject(goal, objective, words(acceptance), words(agents))
    document = start_project(os.fspath(path), new, settings_from(os.environ))
    return cast("InitV1", document)
