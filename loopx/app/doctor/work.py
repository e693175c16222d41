"""Does anything wait for what can never come, or for somebody who is not there?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.doctor.case import Case, info, warning
from loopx.core.instant import format_instant
from loopx.core.todo import NO_CHANGE_LIMIT
from loopx.store.health import ask
from loopx.store.todo_row import route_of_identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.core.finding import Finding
    from loopx.core.goal import Goal

_UNKNOWN_GOALS = "SELECT goal_id, count(*) FROM todos GROUP BY goal_id ORDER BY goal_id"
_CLAIMS = (
    "SELECT todo_id, goal_id, claimed_by, claim_expires_at FROM todos"
    " WHERE claimed_by IS NOT NULL AND closure IS NULL ORDER BY sequence"
)
_LEASES = "SELECT todo_id, lease_holder, lease_expires_at FROM todos WHERE lease_expires_at <= ? ORDER BY sequence"
_CAUSELESS = (
    "SELECT todo_id FROM todos WHERE status = 'blocked' AND block_reason IS NULL AND unmet = 0 ORDER BY sequence"
)
_HOPELESS = (
    "SELECT todo_id, resume_kind || ':' || resume_ref FROM todos"
    " WHERE closure IS NULL AND resume_met = -1 ORDER BY sequence"
)
_POOLED = (
    "SELECT todo_id, goal_id, resume_ref FROM todos"
    " WHERE closure IS NULL AND resume_kind = 'capacity_available' ORDER BY sequence"
)
_BROKEN = "SELECT todo_id, broken FROM todos WHERE closure IS NULL AND broken > 0 ORDER BY sequence"
_MONITORS = (
    "SELECT todo_id, monitor_expires_at, consecutive_no_change FROM todos WHERE task_class = 'continuous_monitor'"
    " AND status = 'open' AND (monitor_expires_at <= :now OR consecutive_no_change >= :limit) ORDER BY sequence"
)
_NAMED = (
    "SELECT todo_id, goal_id, lease_holder, blocks_agent, identity FROM todos JOIN routes USING (route_id, goal_id)"
    " WHERE closure IS NULL ORDER BY sequence"
)


def goals(case: Case) -> Iterator[Finding]:
    """Todos of goals that the registry does not have."""
    if case.registry is None:
        return
    for goal_id, number in ask(case.db, _UNKNOWN_GOALS):
        if goal_id not in case.registry.goal_ids:
            yield warning("goal_unknown", goal_id, f"{number} todos belong to it and the registry has no such goal")


def claims(case: Case) -> Iterator[Finding]:
    """Soft claims that do not count any more."""
    known = _goals(case)
    for todo_id, goal_id, agent_id, expires_at in ask(case.db, _CLAIMS):
        goal = known.get(goal_id)
        if expires_at <= case.now:
            since = format_instant(expires_at)
            yield info("claim_stale", todo_id, f"the claim of {agent_id} is stale since {since}; any peer may take it")
        elif goal is not None and agent_id not in [agent.agent_id for agent in goal.active_agents]:
            yield warning("claim_stale", todo_id, f"{agent_id}, who claimed it, is no active agent of {goal_id}")


def leases(case: Case) -> Iterator[Finding]:
    """Leases that are over and that no write has put back yet."""
    for todo_id, holder, expires_at in ask(case.db, _LEASES, (case.now,)):
        message = f"the lease of {holder} ended at {format_instant(expires_at)}; the next write stores that"
        yield info("lease_unsettled", todo_id, message, fixable=True)


def blocked(case: Case) -> Iterator[Finding]:
    """Blocked todos that nothing holds, and todos that wait for what can never be done."""
    for (todo_id,) in ask(case.db, _CAUSELESS):
        yield warning("blocked_without_cause", todo_id, "it is blocked, and neither a reason nor open work holds it")
    for todo_id, number in ask(case.db, _BROKEN):
        message = f"{number} of its dependencies failed or were superseded, so it can never start as it is"
        yield warning("dependency_broken", todo_id, message)


def deferred(case: Case) -> Iterator[Finding]:
    """Deferred todos that can never wake."""
    for todo_id, condition in ask(case.db, _HOPELESS):
        yield warning("deferred_for_ever", todo_id, f"it sleeps until {condition}, which can never be")
    known = _goals(case)
    for todo_id, goal_id, name in ask(case.db, _POOLED):
        goal = known.get(goal_id)
        if goal is not None and name not in [pool.name for pool in goal.pools]:
            yield warning("deferred_for_ever", todo_id, f"it sleeps until there is room in {name}, which is no pool")


def monitors(case: Case) -> Iterator[Finding]:
    """Monitors that go on although they should end."""
    for todo_id, expires_at, unchanged in ask(case.db, _MONITORS, {"now": case.now, "limit": NO_CHANGE_LIMIT}):
        if expires_at is not None and expires_at <= case.now:
            yield warning("monitor_immortal", todo_id, f"it is open past its end at {format_instant(expires_at)}")
        else:
            yield warning("monitor_immortal", todo_id, f"it saw no change {unchanged} times and asks for a new plan")


def agents(case: Case) -> Iterator[Finding]:
    """Open todos that name an agent who is not registered, or is bound to one who is retired."""
    known = _goals(case)
    for todo_id, goal_id, holder, blocks_agent, identity in ask(case.db, _NAMED):
        goal = known.get(goal_id)
        if goal is None:
            continue
        route = route_of_identity(identity)
        named = (holder, blocks_agent, route.bound_agent, *route.excluded_agents)
        for agent_id in dict.fromkeys(name for name in named if name is not None and goal.agent(name) is None):
            yield warning("agent_unknown", todo_id, f"it names {agent_id}, who is not registered in {goal_id}")
        bound = goal.agent(route.bound_agent) if route.bound_agent is not None else None
        if bound is not None and bound.retired:
            yield warning("agent_retired", todo_id, f"it is bound to {bound.agent_id}, who is retired")


def _goals(case: Case) -> dict[str, Goal]:
    return {} if case.registry is None else {goal.goal_id: goal for goal in case.registry.goals()}
