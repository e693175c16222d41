"""What the compiler looks at: one consistent reading of a goal, already grouped.

Todos that are equal in every fact that a stage reads form a *cohort*: its best-ranked members
and how many there are. The compiler decides on cohorts, so its cost follows the number of
distinct routes and not the number of todos.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.goal import Goal
from loopx.core.instant import Instant
from loopx.core.todo import Todo
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.core.graph import GraphFault
    from loopx.core.workspace import Workspace


class Holding(StrEnum):
    """How a cohort's todos are held at `now`; expired leases count as free."""

    FREE = "free"  # neither claimed nor leased
    CLAIMED = "claimed"  # a live soft claim
    STALE = "stale"  # a soft claim whose time is over, or of a retired agent
    LEASED = "leased"  # a live lease


class Cohort(Value):
    """Todos equal in route, lifecycle, readiness and holder.

    `members` are the best-ranked ones (at least one), `count` all of them. `holder` is the agent
    of the claim or lease, `free_at` the earliest instant at which one of them becomes free.
    `awake` says that a deferred cohort's resume condition holds, `hopeless` that it never can; a
    monitor cohort is either due as a whole or not (`due`).
    """

    members: tuple[Todo, ...]
    count: int  # type: ignore[assignment]  # a field hides the method of tuple
    holding: Holding = Holding.FREE
    holder: str | None = None
    free_at: Instant | None = None
    awake: bool = False
    due: bool = False
    hopeless: bool = False

    @property
    def head(self) -> Todo:
        """The best-ranked member."""
        return self.members[0]


class BrokenDependency(Value):
    """A dependency that can never be met: failed, or superseded without a replacement."""

    todo_id: str
    dependency_id: str
    reason_code: str  # dependency_failed | dependency_superseded


class FollowGap(Value):
    """Done work that says neither what follows nor that nothing does (W10.1)."""

    todo_id: str


class Snapshot(Value):
    """One read transaction of one goal, as of `sequence`, the last event's number."""

    state: str  # opaque project id
    sequence: int
    goal: Goal
    cohorts: tuple[Cohort, ...]  # every class and status but done; user todos are not in here
    gates: tuple[Todo, ...]  # open gates, and of the answered ones the newest per scope and link
    user_todos: tuple[Todo, ...]  # open user todos, best rank first, cut at `USER_TODO_LIMIT`
    user_open: int  # all of them
    broken: tuple[BrokenDependency, ...] = ()
    gaps: tuple[FollowGap, ...] = ()
    unmet_criteria: tuple[str, ...] = ()
    todo_total: int = 0
    next_due_at: Instant | None = None
    next_wake_at: Instant | None = None
    used_slots: int = 0
    used_tokens: int = 0
    used_cost: float = 0.0
    resets_at: Instant | None = None
    user_asleep: int = 0  # user todos that are blocked or deferred, and not closed
    faults: tuple[GraphFault, ...] = ()  # of the dependency graph; nothing is decided over them


class Caller(Value):
    """Who asks, with what (W8.1): None means that no capability was given on the call."""

    agent_id: str
    capabilities: tuple[str, ...] | None = None
    workspace: Workspace | None = None  # None: not looked at, so that its stage has nothing to say


USER_TODO_LIMIT = 20  # more than fit a packet of 4,096 bytes
MEMBER_LIMIT = 5  # the packet's `blocking` list
