"""Decision scopes: spelling, refusals, and what a gate covers, against the sentence of the design."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import UsageError
from loopx.core.scope import (
    ANY_KEY,
    GRANULARITIES,
    KINDS,
    LONGEST_KEY,
    DecisionScope,
    covers,
    parse_decision_scope,
)

scopes = st.builds(
    DecisionScope,
    st.sampled_from(KINDS[:3]),
    st.sampled_from(GRANULARITIES),
    st.sampled_from(["x", "X", "x:y", "*"]),
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("direction:action:public_api_change", ("direction", "action", "public_api_change")),
        (" production:global:* ", ("production", "global", "*")),
        ("other:lane:a:b::c", ("other", "lane", "a:b::c")),
        ("other:lane:CaseCounts", ("other", "lane", "CaseCounts")),
        ("write_scope:project:src/core", ("write_scope", "project", "src/core")),
        ("other:goal:cafe\u0301", ("other", "goal", "caf\u00e9")),
    ],
)
def test_a_scope_is_kind_granularity_and_the_rest_as_key(text: str, parts: tuple[str, ...]) -> None:
    scope = parse_decision_scope(text)
    assert tuple(scope) == parts
    assert parse_decision_scope(str(scope)) == scope


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "kind"),
        ("public_api_change", "kind"),
        ("directon:action:x", "'direction'"),
        ("Direction:action:x", "'direction'"),
        ("direction:acton:x", "'action'"),
        ("direction::x", "granularity"),
        ("direction:action", "key"),
        ("direction:action:", "key"),
        ("direction:action: x", "key"),
        ("direction:action:a b", "key"),
        ("direction:action:a\u00a0b", "key"),
        ("direction:action:a\nb", "key"),
        ("direction:action:a\x00", "key"),
        ("direction:action:\ud800", "key"),
        ("direction:action:api_*", "key"),
        ("direction:action:**", "key"),
        ("direction:action:" + "x" * (LONGEST_KEY + 1), "limit"),
    ],
)
def test_another_form_is_refused_with_the_part_that_is_wrong(text: str, named: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_decision_scope(text)
    assert named in refusal.value.message
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("gate", "required", "covered"),
    [
        ("direction:action:x", "direction:action:x", True),
        ("direction:goal:x", "direction:action:x", True),
        ("direction:global:x", "direction:project:x", True),
        ("direction:action:x", "direction:goal:x", False),
        ("direction:lane:x", "direction:global:x", False),
        ("direction:global:x", "resource:action:x", False),
        ("direction:global:x", "direction:action:y", False),
        ("direction:global:x", "direction:action:X", False),
        ("direction:goal:*", "direction:action:anything", True),
        ("direction:goal:*", "direction:goal:*", True),
        ("direction:goal:x", "direction:action:*", False),
        ("direction:action:*", "direction:goal:x", False),
        ("other:goal:*", "direction:goal:x", False),
    ],
)
def test_a_gate_covers_the_same_kind_and_key_at_its_own_or_a_finer_granularity(
    gate: str, required: str, covered: bool
) -> None:
    assert covers(parse_decision_scope(gate), parse_decision_scope(required)) is covered


@given(scopes, scopes)
def test_cover_is_the_sentence_of_the_design(gate: DecisionScope, required: DecisionScope) -> None:
    coarseness = {"action": 0, "lane": 1, "goal": 2, "project": 3, "global": 4}
    same_kind = gate.kind == required.kind
    same_key = gate.key in {required.key, "*"}
    own_or_finer = coarseness[required.granularity] <= coarseness[gate.granularity]
    assert covers(gate, required) == (same_kind and same_key and own_or_finer)


@given(scopes, scopes, scopes)
def test_cover_is_an_order(one: DecisionScope, two: DecisionScope, three: DecisionScope) -> None:
    assert covers(one, one)
    if covers(one, two) and covers(two, three):
        assert covers(one, three)
    if covers(one, two) and covers(two, one):
        assert one == two


def test_the_widest_key_is_only_the_star_alone() -> None:
    assert parse_decision_scope("other:goal:*").key == ANY_KEY
