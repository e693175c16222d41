"""Random worlds, drawn through one function, so that Hypothesis and a plain generator share them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from loopx.core.decision.snapshot import Caller
from loopx.core.goal import Agent, Boundary, GoalState, QuotaPolicy
from loopx.core.instant import DAY, HOUR
from loopx.core.todo import Closure, Resume, Status, TaskClass, Todo, Verdict
from loopx.core.workspace import Workspace, WorkspaceKind
from tests.unit import decision_world as dw
from tests.unit.decision_world import D1, D2, NOW, REPO, World

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]

_TEAMS = (
    (Agent("agent-a"),),
    (Agent("agent-a", ("shell",)), Agent("agent-b", ("browser",))),
    (Agent("agent-a", ("shell", "prod_token")), Agent("agent-b"), Agent("agent-c", retired=True)),
    (Agent("agent-a"), Agent("agent-c", retired=True)),
)
_SCOPES = (D1, None, D1, D2, "direction:goal:public_api_change", "direction:action:*")
_PLACES = (
    None,
    None,
    Workspace(WorkspaceKind.NOT_GIT_WORKTREE),
    Workspace(WorkspaceKind.CANONICAL_CHECKOUT, (REPO,)),
    Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, (REPO,)),
    Workspace(WorkspaceKind.INDEPENDENT_GIT_WORKTREE, ("git:github.com/example/other",)),
)
_CAPABILITIES = ((), (), (), ("shell",), ("browser",), ("prod_token",), ("browser", "prod_token"))
_REQUIRED = ((), (), (), (), (D1,), (D2,), (D1, D2))
_CLASSES = (TaskClass.ADVANCEMENT,) * 5 + (TaskClass.MONITOR,) * 2 + (TaskClass.BLOCKER,)
_LIVES = ("open",) * 6 + ("blocked", "deferred", "done", "failed", "gap", "superseded")
_OFFSETS = (-HOUR, -1, 0, 1, HOUR)


def random_world(choose: Choose) -> World:
    """A small world in which every rule can meet every other, or a calm one where few do."""
    agents = choose(_TEAMS)
    pick = _calm(choose) if choose((True, True, False)) else choose
    todos: list[Todo] = []
    for number in range(1, choose((0, 1, 2, 3, 4, 5, 6)) + 1):
        todos.append(_agent_todo(pick, number, todos))
    for number in range(20, 20 + choose((0, 0, 1, 1, 2))):
        todos.append(_gate(pick, number, todos))
    todos += [dw.action(30)] * choose((0, 0, 0, 1))
    return World(
        todos=tuple(_with_gate_dependencies(choose, todos)),
        agents=agents,
        caller=_caller(choose, agents),
        state=choose((GoalState.ACTIVE,) * 12 + (GoalState.PAUSED, GoalState.CLOSED)),
        boundary=choose((Boundary(),) * 4 + (Boundary((REPO,), ("src/**",)),)),
        quota=choose((QuotaPolicy(),) * 4 + (QuotaPolicy(slots=1), QuotaPolicy(tokens=5, cost=1.0))),
        facts=choose((frozenset(), frozenset(("pr_merged:42",)))),
        free_pools=choose((frozenset(), frozenset(("pool",)))),
        unmet_criteria=choose(((), (), ("A1",))),
        used_slots=choose((0, 1, 2)),
        used_tokens=choose((0, 4, 5)),
        used_cost=choose((0.0, 1.0)),
    )


def _calm(choose: Choose) -> Choose:
    """Mostly the first option, which is the ordinary one, so that todos are alike and one thing is odd."""

    def pick(options: Sequence[Any]) -> Any:
        return options[0] if choose((True, True, True, True, False)) else choose(options)

    return pick


def _caller(choose: Choose, agents: tuple[Agent, ...]) -> Caller:
    active = [agent.agent_id for agent in agents if not agent.retired]
    return Caller(choose(active), choose((None, None, ("shell",), ("shell", "browser", "prod_token"))), choose(_PLACES))


def _agent_todo(choose: Choose, number: int, earlier: list[Todo]) -> Todo:
    task_class = choose(_CLASSES)
    fields: dict[str, Any] = {
        "priority": choose((0, 1, 2)),
        "required_capabilities": choose(_CAPABILITIES),
        "required_decision_scopes": choose(_REQUIRED),
        "excluded_agents": choose(((),) * 6 + (("agent-a",), ("agent-b",), ("agent-a", "agent-b"))),
        "bound_agent": choose((None,) * 7 + ("agent-a", "agent-b", "agent-c")),
        "blocked_by": _dependencies(choose, earlier),
    }
    if task_class is TaskClass.MONITOR:
        unchanged, due_in = choose((0, 9, 10, 12)), choose((-2 * HOUR, -HOUR, *_OFFSETS))
        expires_at = choose((None, None, None, NOW - 1, NOW, NOW + 1))
        every = choose((None, HOUR, DAY))
        value = dw.monitor(number, due_in=due_in, every=every, unchanged=unchanged, expires_at=expires_at, **fields)
    else:
        writes = {"required_write_scopes": choose(((), (), ("src/**",), ("docs/**",)))}
        where = {"task_repository": choose((None, REPO, "git:github.com/example/other"))}
        value = dw.todo(number, task_class=task_class, **fields, **writes, **where)
    return _held(choose, _alive(choose, value, earlier))


def _alive(choose: Choose, value: Todo, earlier: list[Todo]) -> Todo:
    """The todo in one of the states that the store can hold."""
    life = choose(_LIVES)
    closures = {
        "done": Closure.NO_FOLLOWUP,
        "gap": Closure.COMPLETED,
        "failed": Closure.FAILED,
        "superseded": Closure.SUPERSEDED,
    }
    if life in closures:
        return dw.done(value, closures[life])
    if life == "deferred":
        return value._replace(status=Status.DEFERRED, resume=_condition(choose, earlier))
    if life == "blocked":
        return value._replace(status=Status.BLOCKED, block_reason=choose((None, "the API is down")))
    if value.task_class is TaskClass.BLOCKER:
        return value._replace(block_reason=choose((None, "the API is down")))
    return value


def _condition(choose: Choose, earlier: list[Todo]) -> Resume | None:
    awaited = [Resume("todo_done", other.todo_id) for other in earlier]
    others = [Resume("pr_merged", "42"), Resume("capacity_available", "pool"), None]
    times = [Resume("at", "at", NOW + offset) for offset in (-1, 0, 1)]
    return choose(awaited + others + times)  # type: ignore[no-any-return]


def _held(choose: Choose, value: Todo) -> Todo:
    agent_id = choose((None,) * 6 + ("agent-a", "agent-b", "agent-c"))
    if agent_id is None or value.closure is not None:
        return value
    if choose((False, False, True)) and agent_id != "agent-c":
        return dw.leased(value, agent_id, expires_in=choose(_OFFSETS))
    return dw.claimed(value, agent_id, expires_in=choose(_OFFSETS))


def _dependencies(choose: Choose, earlier: list[Todo]) -> tuple[str, ...]:
    wanted = choose((0, 0, 0, 0, 1, 2))
    return tuple(dict.fromkeys(choose(earlier).todo_id for _ in range(wanted) if earlier))


def _gate(choose: Choose, number: int, todos: list[Todo]) -> Todo:
    verdict = choose((None, None, None, Verdict.APPROVE, Verdict.REJECT))
    decided = None
    if verdict is not None:
        ago, standing = choose((HOUR, 2 * HOUR)), choose((False, True))
        decided = dw.answer(verdict, ago=ago, standing=standing, revoked=standing and choose((False, True)))
    is_global = choose((False,) * 9 + (True,))
    return dw.gate(
        number,
        scope=choose(_SCOPES),
        blocks=None if is_global else choose(("agent-a", "agent-a", "agent-b", "agent-b", "agent-c", None)),
        is_global=is_global,
        link=choose((None, *(value.todo_id for value in todos if value.role == "agent"))),
        answer=decided,
        priority=choose((0, 2)),
    )


def _with_gate_dependencies(choose: Choose, todos: list[Todo]) -> list[Todo]:
    """Sometimes work waits for a person's todo itself."""
    persons = [value.todo_id for value in todos if value.role == "user"]
    if not persons or choose((True, True, True, False)):
        return todos
    waiting = choose(persons)
    return [
        value._replace(blocked_by=(*value.blocked_by, waiting))
        if value.role == "agent" and value.closure is None and choose((False, True))
        else value
        for value in todos
    ]
