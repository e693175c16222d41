"""Equal peers of a goal: registered with what they can do, retired when they leave (W2, design.md §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Outcome
from loopx.app.page import page_keys
from loopx.app.project import registered_agent
from loopx.app.registry_edit import change_registry, refuse_agents
from loopx.contracts.goal_document import agent_document
from loopx.core.capability import CapabilityKind, capability_kind
from loopx.core.command import command
from loopx.core.errors import AlreadyDoneError
from loopx.core.name import normalise_name
from loopx.store.overview import bound_to, held_by

if TYPE_CHECKING:
    from loopx.app.mutation import Call, Document, Work
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.registry.document import RegistryDocument

AGENT_SCHEMA = "agent_v1"
LIST_SCHEMA = "agent_list_v1"


def register_agent(project: Project, call: Call, agent_id: str, capabilities: tuple[str, ...]) -> Document:
    """Register a peer, give a registered one more capabilities, or take a retired one back.

    UserDecisionRequiredError where an agent would give an authority-like capability (W6.9),
    AlreadyDoneError where nothing is new, NameTakenError for a name that differs in case only.
    """
    name = normalise_name(agent_id, what="agent id")
    given = tuple(dict.fromkeys(normalise_name(text, what="capability") for text in capabilities))

    def edit(work: Work, document: RegistryDocument) -> None:
        goal = work.goal
        known = goal.agent(name)
        new = [text for text in given if known is None or text not in known.capabilities]
        _refuse_authority(work, goal, new)
        if known is None or known.retired:
            document.register_agent(goal.goal_id, name, given)
        elif new:
            document.add_capabilities(goal.goal_id, name, new)
        else:
            raise AlreadyDoneError(
                f"{name} is registered on {goal.goal_id} already, with all of this",
                hint=f"Nothing is left to do; `loopx agent list --goal-id {goal.goal_id}` shows it.",
                agent_id=name,
            )

    def answer(work: Work) -> Outcome:
        next_command = command("quota", "should-run", "--goal-id", work.goal.goal_id, "--agent-id", name)
        return _answer(work, name, next_command)

    return change_registry(project, call, edit, answer)


def retire_agent(project: Project, call: Call, agent_id: str) -> Document:
    """Retire a peer: its claims are stale at once, its leases run out, what is bound to it needs a repair.

    An agent retires itself only: a peer's claims are not its to end (W4.1). AlreadyDoneError.
    """
    name = normalise_name(agent_id, what="agent id")

    def edit(work: Work, document: RegistryDocument) -> None:
        goal = work.goal
        if work.actor.agent_id != name:
            refuse_agents(work, "retire a peer")
        known = goal.agent(name)
        if known is None:
            registered_agent(goal, name)
        elif known.retired:
            raise AlreadyDoneError(
                f"{name} is retired from {goal.goal_id} already", hint="Nothing is left to do.", agent_id=name
            )
        document.retire_agent(goal.goal_id, name)

    def answer(work: Work) -> Outcome:
        return _answer(work, name, command("status", "--goal-id", work.goal.goal_id))

    return change_registry(project, call, edit, answer)


def list_agents(project: Project, goal_id: str | None, page: Page) -> Document:
    """The peers of a goal in the order of the registry, retired ones too."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        numbered = list(enumerate(goal.agents, start=1))[page.after :]
        return {
            "schema_version": LIST_SCHEMA,
            "ok": True,
            "goal_id": goal.goal_id,
            "agents": [agent_document(agent) for _, agent in numbered[: page.limit]],
            "total": len(goal.agents),
            **page_keys([number for number, _ in numbered], len(numbered), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


def _refuse_authority(work: Work, goal: Goal, capabilities: list[str]) -> None:
    for name in capabilities:
        if capability_kind(name, goal.authority_capabilities) is CapabilityKind.AUTHORITY:
            refuse_agents(work, f"give the authority-like capability {name!r}")


def _answer(work: Work, agent_id: str, next_command: str) -> Outcome:
    goal = work.goal
    agent = goal.agent(agent_id)
    assert agent is not None
    bound = bound_to(work.tx.db, goal.goal_id, agent_id)
    body: Document = {
        "schema_version": AGENT_SCHEMA,
        "ok": True,
        "goal_id": goal.goal_id,
        "agent": agent_document(agent),
        "claimed_todos": held_by(work.tx.db, goal.goal_id, agent_id, work.now),
        "bound_todos": bound,
    }
    warning = f"{bound} todos are bound to {agent_id}, which may not act any more; each needs a repair"
    return Outcome(body, next_command=next_command, warnings=(warning,) if agent.retired and bound else ())
