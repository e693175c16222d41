"""Equal peers: a deterministic suggestion that depends on the set of agents and the key alone (W2.3)."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.digest import sha256_bytes, sha256_hex
from loopx.core.errors import UsageError
from loopx.core.peers import normalised_peer_ids, select_peer_for_work

ids = st.lists(st.sampled_from([f"agent-{letter}" for letter in "abcdef"]), max_size=8)


@pytest.mark.parametrize(
    ("given_ids", "normalised"),
    [
        ([], ()),
        (["agent-b", " agent-a\t", "agent-b"], ("agent-a", "agent-b")),
        (["ａｇｅｎｔ－ａ", "agent-a"], ("agent-a",)),
        (["B", "a"], ("B", "a")),
    ],
)
def test_ids_have_one_spelling_each_once_in_order(given_ids: list[str], normalised: tuple[str, ...]) -> None:
    assert normalised_peer_ids(given_ids) == normalised


def test_an_id_that_is_no_name_is_refused() -> None:
    with pytest.raises(UsageError):
        normalised_peer_ids(["agent-a", " "])


def test_without_agents_nobody_is_suggested() -> None:
    assert select_peer_for_work([], "todo_0123456789") is None


@pytest.mark.parametrize(
    ("key", "peer"),
    [("todo_0123456789", "agent-a"), ("todo_abcdefghjk", "agent-a"), ("", "agent-b"), ("gréen", "agent-b")],
)
def test_a_key_always_points_to_the_same_peer(key: str, peer: str) -> None:
    assert select_peer_for_work(["agent-a", "agent-b", "agent-c"], key) == peer


@given(ids, st.text(alphabet=st.characters(codec="utf-8")))
def test_the_suggestion_is_the_documented_formula(agents: list[str], key: str) -> None:
    known = sorted(set(agents))
    number = int(hashlib.sha256(key.encode()).hexdigest()[:16], 16)
    assert select_peer_for_work(agents, key) == (known[number % len(known)] if known else None)


@given(ids, st.text(alphabet="abc"))
def test_order_and_repetition_of_agents_change_nothing(agents: list[str], key: str) -> None:
    assert select_peer_for_work(agents, key) == select_peer_for_work([*reversed(agents), *agents], key)


@given(st.binary())
def test_the_cheap_digest_is_the_standard_one(data: bytes) -> None:
    assert sha256_hex(data) == hashlib.sha256(data).hexdigest()
    assert sha256_bytes(data) == hashlib.sha256(data).digest()
