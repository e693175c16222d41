"""What follows a closed todo: new todos, existing ones, or the statement that nothing does (W10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.todo_new import NewTodo, agent, build_todo, todo_in_goal, unique
from loopx.core.errors import SuccessorInvalidError, UsageError
from loopx.core.todo import ContinuationPolicy, Role
from loopx.core.value import Value

if TYPE_CHECKING:
    from loopx.app.mutation import Work
    from loopx.core.todo import Todo


class Following(Value):
    """The follow-up that a closing verb names."""

    agent_todos: tuple[str, ...] = ()
    user_todos: tuple[str, ...] = ()
    successor_ids: tuple[str, ...] = ()
    no_followup: bool = False
    policy: ContinuationPolicy | None = None
    claimed_by: str | None = None

    @property
    def is_named(self) -> bool:
        """Whether any todo follows."""
        return bool(self.agent_todos or self.user_todos or self.successor_ids)


def refuse_contradiction(following: Following) -> None:
    """UsageError where something and nothing follows, or a successor's option has no successor."""
    if following.no_followup and following.is_named:
        raise UsageError("--no-follow-up and a successor contradict each other", hint="Leave one of them out.")
    if (following.policy or following.claimed_by) and not following.agent_todos:
        raise UsageError(
            "--next-continuation-policy and --next-claimed-by describe a --next-agent-todo",
            hint="Give --next-agent-todo, or leave them out.",
        )


def add_successors(work: Work, todo: Todo, following: Following) -> tuple[str, ...]:
    """Create or find what follows, and return the ids in the order in which they were named.

    A successor is unclaimed unless the policy keeps the same agent or one is named (W10.2).
    """
    created = [work.tx.insert(build_todo(work, new)).todo_id for new in _new_todos(work, following)]
    existing = [existing_successor(work, todo, typed) for typed in following.successor_ids]
    return unique((*created, *existing))


def existing_successor(work: Work, todo: Todo, typed: str) -> str:
    """The full id of a todo that can follow; TodoNotFoundError, SuccessorInvalidError."""
    successor_id = todo_in_goal(work, typed)
    if successor_id == todo.todo_id:
        raise SuccessorInvalidError(
            f"{todo.todo_id} cannot follow itself",
            hint="Name another todo, or --no-follow-up.",
            todo_id=todo.todo_id,
        )
    return successor_id


def _new_todos(work: Work, following: Following) -> list[NewTodo]:
    policy = following.policy or ContinuationPolicy.INDEPENDENT_HANDOFF
    keeper = work.actor.agent_id if policy is ContinuationPolicy.SAME_AGENT else None
    owner = agent(work, following.claimed_by) or keeper
    agent_todos = [NewTodo(text=text, continuation_policy=policy, claimed_by=owner) for text in following.agent_todos]
    return agent_todos + [NewTodo(text=text, role=Role.USER) for text in following.user_todos]
