"""A goal with peers to try rules on, and the few calls that nearly every rule's test makes."""

from __future__ import annotations

from typing import Any

from tests.support.cli import Loopx

GOAL = "lab"


def start_lab(loopx: Loopx, *agents: str) -> Loopx:
    """A project with one goal and these agents (two peers where none is named)."""
    named = [word for agent in agents or ("ann", "bob") for word in ("--agent", agent)]
    loopx.ok("init", "--goal-id", GOAL, "--objective", "Find out", *named)
    return loopx


def add(lab: Loopx, text: str, *more: str) -> str:
    """A new todo's id."""
    return str(lab.ok("todo", "add", "--goal-id", GOAL, "--text", text, *more)["todo"]["todo_id"])


def add_gate(lab: Loopx, scope: str | None, *reach: str) -> str:
    """A new gate's id."""
    decides = () if scope is None else ("--decision-scope", scope)
    return add(lab, "May it be so?", "--role", "user", "--task-class", "user_gate", *decides, *reach)


def add_monitor(lab: Loopx, *more: str) -> str:
    """A new monitor's id; hourly where nothing is said."""
    return add(lab, "Watch it", "--task-class", "continuous_monitor", *(more or ("--poll-every", "1h")))


def show(lab: Loopx, todo_id: str) -> dict[str, Any]:
    """The whole todo."""
    todo = lab.ok("todo", "show", todo_id)["todo"]
    assert isinstance(todo, dict)
    return todo


def ask(lab: Loopx, agent: str = "ann", *more: str, **ways: Any) -> dict[str, Any]:
    """The decision's packet for an agent."""
    return lab.ok("quota", "should-run", "--goal-id", GOAL, "--agent-id", agent, *more, **ways)


def mode(packet: dict[str, Any]) -> str:
    """The packet's mode."""
    return str(packet["interaction_contract"]["mode"])


def finish(lab: Loopx, todo_id: str, agent: str = "ann", *more: str) -> dict[str, Any]:
    """Complete a todo of which nothing follows."""
    argv = ("--claimed-by", agent, "--evidence", "seen", "--no-follow-up", "--reason", "all done", *more)
    return lab.ok("todo", "complete", todo_id, *argv)


def lease(lab: Loopx, todo_id: str, agent: str = "ann", *more: str) -> dict[str, Any]:
    """A lease that is taken, with its token."""
    taken = lab.ok("task-lease", "acquire", "--todo-id", todo_id, "--agent-id", agent, *more)["lease"]
    assert isinstance(taken, dict)
    return taken


def claim_next(lab: Loopx, agent: str = "ann", *more: str, **ways: Any) -> dict[str, Any]:
    """The whole answer of claim-next."""
    return lab.ok("todo", "claim-next", "--goal-id", GOAL, "--agent-id", agent, *more, **ways)
