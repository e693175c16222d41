"""Lifecycle authority: a grant is read only for a peer's todo, and gives only what it lists (W4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.actor import Actor, ActorKind
from loopx.core.authority import AUTHORITY_SOURCE, OVERRIDE_MODE, AuthorityUse, LifecycleAction, authorize_lifecycle
from loopx.core.errors import ActionNotDelegatedError, AuthorityReasonRequiredError, NotClaimOwnerError, RefusedError
from loopx.core.goal import Grant

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPLETE = LifecycleAction.COMPLETE
PEER = Actor(ActorKind.AGENT, "agent-b")


def use(
    grants: Sequence[Grant], *, owner: str | None = "agent-a", actor: Actor = PEER, reason: str | None = None
) -> AuthorityUse | None:
    return authorize_lifecycle(COMPLETE, actor=actor, claim_owner=owner, grants=grants, reason=reason)


def test_the_wire_names_are_the_contract() -> None:
    assert OVERRIDE_MODE == "delegated_orchestration_override"
    assert AUTHORITY_SOURCE == "coordination.todo_lifecycle_authority"
    assert [action.value for action in LifecycleAction] == ["complete", "reassign", "supersede"]


@pytest.mark.parametrize("owner", [None, "agent-b"])
def test_nothing_is_needed_for_unclaimed_and_own_work(owner: str | None) -> None:
    assert use([], owner=owner) is None
    assert use([Grant("agent-b", ("complete",), requires_reason=True)], owner=owner) is None


def test_a_grant_that_lists_the_action_is_used_and_its_reason_kept() -> None:
    assert use([Grant("agent-b", ("complete",))]) == AuthorityUse(COMPLETE, None)
    strict = Grant("agent-b", ("complete",), requires_reason=True)
    assert use([strict], reason=" owner is gone ") == AuthorityUse(COMPLETE, "owner is gone")


@pytest.mark.parametrize(
    ("grants", "reason", "refusal"),
    [
        ([], "because", NotClaimOwnerError),
        ([Grant("agent-a", ("complete",))], "because", NotClaimOwnerError),
        ([Grant("agent-c", ("complete",))], "because", NotClaimOwnerError),
        ([Grant("agent-b", ("reassign", "supersede"))], "because", ActionNotDelegatedError),
        ([Grant("agent-b", ())], "because", ActionNotDelegatedError),
        ([Grant("agent-b", ("complete",), requires_reason=True)], None, AuthorityReasonRequiredError),
        ([Grant("agent-b", ("complete",), requires_reason=True)], " \n", AuthorityReasonRequiredError),
        (
            [Grant("agent-b", ("complete",)), Grant("agent-b", ("complete",), requires_reason=True)],
            None,
            AuthorityReasonRequiredError,
        ),
    ],
)
def test_anything_less_is_refused_with_who_holds_it(
    grants: list[Grant], reason: str | None, refusal: type[RefusedError]
) -> None:
    with pytest.raises(refusal) as refused:
        use(grants, reason=reason)
    assert refused.value.details == {"holder": "agent-a", "actor": "agent-b", "action": "complete"}
    assert refused.value.hint


def test_grants_of_one_agent_add_up() -> None:
    grants = [Grant("agent-b", ("reassign",), requires_reason=True), Grant("agent-b", ("complete",))]
    assert use(grants) == AuthorityUse(COMPLETE, None)


def test_a_person_is_no_peer_and_uses_no_grant() -> None:
    """Whether a person may act is asked before grants are (`--as-user`); here a claim keeps them out."""
    with pytest.raises(NotClaimOwnerError):
        use([Grant("agent-b", ("complete",))], actor=Actor(ActorKind.USER))


agents = st.sampled_from(["agent-a", "agent-b"])
actions = st.sampled_from([*LifecycleAction])
grants_lists = st.lists(st.builds(Grant, agents, st.lists(actions, unique=True).map(tuple), st.booleans()), max_size=3)


@given(actions, agents, st.none() | agents, grants_lists, st.sampled_from([None, "", "why"]))
def test_authority_is_used_exactly_for_a_peers_todo_under_a_fitting_grant(
    action: LifecycleAction, actor: str, owner: str | None, grants: list[Grant], reason: str | None
) -> None:
    fitting = [grant for grant in grants if grant.agent_id == actor and action in grant.actions]
    free = owner in (None, actor)
    reasoned = bool(reason) or not any(grant.requires_reason for grant in fitting)
    allowed = free or (bool(fitting) and reasoned)

    def ask() -> AuthorityUse | None:
        agent = Actor(ActorKind.AGENT, actor)
        return authorize_lifecycle(action, actor=agent, claim_owner=owner, grants=grants, reason=reason)

    if not allowed:
        with pytest.raises(RefusedError):
            ask()
    else:
        assert ask() == (None if free else AuthorityUse(action, reason or None))
