"""The command lines of the decision: whole, quoted, and such that they can run now.

What an agent or a person must say is not in them: evidence, reasons and questions are read from
standard input (`-`), and a gate asks for its answer on the terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.command import command
from loopx.core.decision.snapshot import Holding
from loopx.core.secret import masked
from loopx.core.todo import Status, TaskClass

if TYPE_CHECKING:
    from loopx.core.decision.case import Case
    from loopx.core.decision.survey import Finding
    from loopx.core.todo import Todo

_MANY_CAPABILITIES = 8  # more are not repeated on a command line
_RENEWAL = "15m"  # the default lease TTL


def work_on(case: Case, found: Finding) -> tuple[str, ...]:
    """Take the selected todo, or go on with it where the caller has it already."""
    todo = found.head
    if found.cohort.holding is Holding.LEASED and todo.lease is not None:
        return (_renew(case, todo.lease.lease_id, todo.lease.version),)
    if todo.status is Status.DEFERRED:
        return (claim(case, todo),)
    if todo.task_class is TaskClass.MONITOR:
        return tuple(_poll(case, todo, result) for result in ("no_change", "changed"))
    return (complete(case, todo),) if found.is_mine else (claim(case, todo),)


def claim(case: Case, todo: Todo) -> str:
    """Say that the caller is on it; this opens a deferred one whose condition holds."""
    return command("todo", "claim", *_one(case, todo), "--claimed-by", case.agent_id)


def complete(case: Case, todo: Todo) -> str:
    """Close it with the evidence of its result."""
    return command("todo", "complete", *_one(case, todo), "--claimed-by", case.agent_id, "--evidence", "-")


def _renew(case: Case, lease_id: str, version: int) -> str:
    """Renewing is the heartbeat, and answers with the token that completing needs."""
    fence = ("--lease-id", lease_id, "--expect-version", str(version))
    return command("task-lease", "renew", *_by(case), *fence, "--ttl", _RENEWAL)


def _poll(case: Case, todo: Todo, result: str) -> str:
    return command("monitor", "poll", todo.todo_id, *_by(case), "--result", result, "--evidence", "-")


def show(case: Case, todo_id: str) -> str:
    """See the whole todo: who holds it, what it waits for."""
    return command("todo", "show", todo_id, "--goal-id", case.goal_id)


def why(case: Case, todo_id: str) -> str:
    """See every stage that it passes or fails for the caller."""
    return command("todo", "why", todo_id, *_by(case))


def update(case: Case, todo_id: str, *words: str) -> str:
    """Change fields of a todo as the caller."""
    return command("todo", "update", todo_id, *_by(case), *words)


def reopen(case: Case, todo_id: str) -> str:
    """Open a blocked or deferred todo."""
    return command("todo", "reopen", todo_id, *_by(case))


def state_cause(case: Case, todo_id: str) -> str:
    """Hold a todo by a reason that is said."""
    return command("todo", "block", todo_id, *_by(case), "--reason", "-")


def plan_more(case: Case) -> str:
    """Add the next piece of work."""
    return command("todo", "add", *_by(case), "--role", "agent", "--text", "-")


def settle_gap(case: Case, todo_id: str) -> str:
    """Say that nothing follows a done todo, and why."""
    return update(case, todo_id, "--no-follow-up", "--reason", "-")


def accept(case: Case, criterion_id: str) -> str:
    """Meet a criterion of the goal with evidence."""
    return command("goal", "accept", *_by(case), "--criterion", criterion_id, "--evidence", "-")


def ask_person(case: Case, todo: Todo, scope: str | None, agent_id: str) -> str:
    """Put the missing decision of a todo to a person, in the caller's words.

    A scope that may not leave as it is (it names a local path, say) is not repeated: the todo shows it.
    """
    if scope is not None and masked(scope) != scope:
        return show(case, todo.todo_id)
    gate = ("--role", "user", "--task-class", TaskClass.USER_GATE, "--text", "-")
    asked = ("--decision-scope", scope) if scope is not None else ()
    reach = ("--blocks-agent", agent_id, "--unblocks-todo-id", todo.todo_id)
    return command("todo", "add", *_by(case), *gate, *asked, *reach)


def state_reach(case: Case, gate_id: str) -> tuple[str, str, str]:
    """The three ways to say whom a gate holds (W6.3); none of them answers it."""
    return (
        update(case, gate_id, "--global-gate"),
        update(case, gate_id, "--blocks-agent", case.agent_id),
        update(case, gate_id, "--task-class", TaskClass.USER_ACTION),
    )


def answer_gate(case: Case, gate_id: str) -> str:
    """A person answers a gate."""
    return command("gate", "answer", gate_id, "--goal-id", case.goal_id)


def settle_user_todo(case: Case, todo: Todo) -> str:
    """A person answers a gate, or says that an action is done."""
    if todo.task_class is TaskClass.USER_GATE:
        return answer_gate(case, todo.todo_id)
    return command("todo", "complete", todo.todo_id, "--goal-id", case.goal_id)


def give_capability(case: Case, capability: str) -> str:
    """A person registers a capability for the caller."""
    return command("agent", "register", *_by(case), "--capability", capability)


def ask_again(case: Case, *words: str) -> str:
    """The same question once more; the place is the folder in which it is asked."""
    return command("quota", "should-run", *_by(case), *words)


def ask_with(case: Case, capabilities: tuple[str, ...]) -> str:
    """The same question with the tools that work now; what was available stays so."""
    names = dict.fromkeys((*sorted(case.capabilities), *capabilities))
    if len(names) > _MANY_CAPABILITIES:
        return command("agent", "list", "--goal-id", case.goal_id)
    return ask_again(case, *(word for name in names for word in ("--available-capability", name)))


def of_goal(case: Case, family: str, verb: str) -> str:
    """A command that takes nothing but the goal."""
    return command(family, verb, "--goal-id", case.goal_id)


def _by(case: Case) -> tuple[str, ...]:
    return ("--goal-id", case.goal_id, "--agent-id", case.agent_id)


def _one(case: Case, todo: Todo) -> tuple[str, ...]:
    return ("--goal-id", case.goal_id, "--todo-id", todo.todo_id)
