"""Lifecycle authority of a goal: given, taken and listed; only a person gives it (W4.2, W4.4, W6.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Outcome
from loopx.app.page import page_keys
from loopx.app.project import registered_agent
from loopx.app.registry_edit import change_registry, refuse_agents
from loopx.contracts.goal_document import grant_document
from loopx.core.command import command
from loopx.core.errors import ActionNotDelegatedError
from loopx.core.goal import Grant
from loopx.core.name import normalise_name
from loopx.store.hand_made import forget_holder

if TYPE_CHECKING:
    from loopx.app.mutation import Call, Document, Work
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.registry.document import RegistryDocument

GRANT_SCHEMA = "authority_v1"
LIST_SCHEMA = "authority_list_v1"


def grant_authority(
    project: Project, call: Call, agent_id: str, actions: tuple[str, ...], *, requires_reason: bool
) -> Document:
    """Give a registered agent exactly this grant; one that it has is replaced.

    UserDecisionRequiredError for an agent, AgentNotRegisteredError.
    """
    wanted = Grant(normalise_name(agent_id, what="agent id"), tuple(dict.fromkeys(actions)), requires_reason)

    def edit(work: Work, document: RegistryDocument) -> None:
        goal = work.goal
        refuse_agents(work, "grant authority over peers' work")
        registered_agent(goal, wanted.agent_id)
        _replace(document, goal.goal_id, _grant_of(goal, wanted.agent_id), wanted)

    def answer(work: Work) -> Outcome:
        return _answer(work, wanted, revoked=False)

    return change_registry(project, call, edit, answer)


def revoke_authority(project: Project, call: Call, agent_id: str, actions: tuple[str, ...]) -> Document:
    """Take these actions out of an agent's grant, or with none the whole grant.

    UserDecisionRequiredError for an agent, ActionNotDelegatedError where the grant has no such action.
    """
    name = normalise_name(agent_id, what="agent id")
    gone: list[Grant] = []

    def edit(work: Work, document: RegistryDocument) -> None:
        goal = work.goal
        refuse_agents(work, "revoke a grant")
        present = _grant_of(goal, name)
        if present is None:
            raise ActionNotDelegatedError(
                f"{name} has no grant on {goal.goal_id}",
                hint=f"`loopx authority list --goal-id {goal.goal_id}` shows the grants.",
                agent_id=name,
            )
        taken = tuple(dict.fromkeys(actions)) or present.actions
        document.revoke_authority(goal.goal_id, name, taken)
        gone.append(present._replace(actions=taken))

    def answer(work: Work) -> Outcome:
        return _answer(work, gone[0], revoked=True)

    return change_registry(project, call, edit, answer)


def list_authority(project: Project, goal_id: str | None, page: Page) -> Document:
    """The grants of a goal in the order of the registry."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        numbered = list(enumerate(goal.grants, start=1))[page.after :]
        return {
            "schema_version": LIST_SCHEMA,
            "ok": True,
            "goal_id": goal.goal_id,
            "grants": [grant_document(grant) for _, grant in numbered[: page.limit]],
            "total": len(goal.grants),
            **page_keys([number for number, _ in numbered], len(numbered), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


def _grant_of(goal: Goal, agent_id: str) -> Grant | None:
    return next((grant for grant in goal.grants if grant.agent_id == agent_id), None)


def _replace(document: RegistryDocument, goal_id: str, present: Grant | None, wanted: Grant) -> None:
    """Take out what the new grant does not give, then give it; a reason is dropped only with its entry."""
    if present is not None:
        gone = tuple(action for action in present.actions if action not in wanted.actions)
        if present.requires_reason and not wanted.requires_reason:
            gone = present.actions
        if gone:
            document.revoke_authority(goal_id, wanted.agent_id, gone)
    document.grant_authority(goal_id, wanted.agent_id, wanted.actions, requires_reason=wanted.requires_reason)


def _answer(work: Work, grant: Grant, *, revoked: bool) -> Outcome:
    forget_holder(work.tx.db, (work.goal.goal_id, grant.agent_id))
    body: Document = {
        "schema_version": GRANT_SCHEMA,
        "ok": True,
        "goal_id": work.goal.goal_id,
        "grant": grant_document(grant),
        "revoked": revoked,
    }
    notes = (("agent_id", grant.agent_id), ("actions", list(grant.actions)))
    return Outcome(body, next_command=command("authority", "list", "--goal-id", work.goal.goal_id), notes=notes)
