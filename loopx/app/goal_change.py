"""Goals come into being, are reworded and get their bounds: `goal add`, `goal update` (W8.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_view import goal_answer
from loopx.app.mutation import Call, Document, Outcome, Work
from loopx.app.registry_edit import change_registry, refuse_agents
from loopx.app.todo_update import NO_PATCH, ListPatch
from loopx.core.command import command
from loopx.core.errors import AgentNotRegisteredError, UsageError
from loopx.core.goal import Boundary, QuotaPolicy
from loopx.core.name import normalise_name
from loopx.core.repository import parse_repository
from loopx.core.value import Value
from loopx.registry.write import NewGoal

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.goal import Goal
    from loopx.core.instant import Duration
    from loopx.registry.document import RegistryDocument
    from loopx.store.connection import Connection


class GoalPatch(Value):
    """What `goal update` takes; None leaves a limit, `clear` lifts it."""

    objective: str | None = None
    acceptance: ListPatch = NO_PATCH  # texts to add, ids to remove
    repositories: ListPatch = NO_PATCH
    write_scopes: ListPatch = NO_PATCH
    slots: int | None = None
    tokens: int | None = None
    cost: float | None = None
    window: Duration | None = None
    clear: frozenset[str] = frozenset()


def add_goal(project: Project, call: Call, new: NewGoal) -> Document:
    """Add an active goal. NameTakenError, UsageError; AgentNotRegisteredError for a caller not in it."""
    goal_id = normalise_name(new.goal_id, what="goal id")
    agents = tuple(dict.fromkeys(normalise_name(agent, what="agent id") for agent in new.agents))

    def edit(work: Work, document: RegistryDocument) -> None:
        _refuse_strangers(work, agents)
        document.add_goal(goal_id, new.objective, acceptance=new.acceptance, agents=agents)

    def answer(work: Work) -> Outcome:
        next_command = command("todo", "list", "--goal-id", goal_id)
        return Outcome(goal_answer(work.tx.db, work.goal), next_command=next_command)

    return change_registry(project, call, edit, answer)


def _refuse_strangers(work: Work, agents: tuple[str, ...]) -> None:
    """An agent makes goals that it works on itself; it is checked here, since the goal does not exist yet."""
    if work.actor.agent_id is not None and work.actor.agent_id not in agents:
        raise AgentNotRegisteredError(
            f"{work.actor.agent_id} is not among the agents of the new goal",
            hint="Name it with --agent, or let a person add the goal.",
            agent_id=work.actor.agent_id,
        )


def update_goal(project: Project, call: Call, patch: GoalPatch) -> Document:
    """Reword a goal or change its criteria, boundary and budget: a person's decision (W6.9).

    UserDecisionRequiredError for an agent, UsageError where nothing is to be changed.
    """

    def edit(work: Work, document: RegistryDocument) -> None:
        goal = work.goal
        refuse_agents(work, "change a goal's objective, criteria, boundary or budget")
        if patch == GoalPatch():
            raise UsageError("nothing is to be changed", hint="`loopx goal update --help` lists the fields.")
        if patch.objective is not None:
            document.set_objective(goal.goal_id, patch.objective)
        _patch_criteria(work.tx.db, document, goal, patch.acceptance)
        document.set_boundary(goal.goal_id, _boundary(goal.boundary, patch))
        document.set_quota(goal.goal_id, _quota(goal.quota, patch))

    return change_registry(project, call, edit, _answer)


def _answer(work: Work) -> Outcome:
    next_command = command("goal", "show", "--goal-id", work.goal.goal_id)
    return Outcome(goal_answer(work.tx.db, work.goal), next_command=next_command)


def _patch_criteria(db: Connection, document: RegistryDocument, goal: Goal, patch: ListPatch) -> None:
    """Criteria go by id; an id that history knows is never given again."""
    rows = db.execute("SELECT criterion_id FROM criteria_met WHERE goal_id = ?", (goal.goal_id,))
    present = tuple(criterion.id for criterion in goal.acceptance)
    for criterion_id in present if patch.clear else patch.remove:
        document.remove_criterion(goal.goal_id, criterion_id)
    document.add_criteria(goal.goal_id, patch.add, used=(*present, *(row[0] for row in rows)))


def _boundary(present: Boundary, patch: GoalPatch) -> Boundary:
    from loopx.app.todo_new import write_scopes

    def repositories(given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(parse_repository(text) for text in given)

    return Boundary(
        repositories=patch.repositories.applied(present.repositories, repositories),
        write_scopes=patch.write_scopes.applied(present.write_scopes, write_scopes),
    )


def _quota(present: QuotaPolicy, patch: GoalPatch) -> QuotaPolicy:
    def limit(name: str, given: float | None, before: float | None) -> float | None:
        return given if given is not None else None if name in patch.clear else before

    return QuotaPolicy(
        slots=_whole(limit("slots", patch.slots, present.slots)),
        tokens=_whole(limit("tokens", patch.tokens, present.tokens)),
        cost=limit("cost", patch.cost, present.cost),
        window_us=_whole(limit("window", patch.window, present.window_us)),
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
