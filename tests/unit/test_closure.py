"""A goal is over exactly where nothing is left, and every kind of thing left is named (W10.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.closure import (
    ClosureCode,
    ClosureFacts,
    ClosureGap,
    closure_gaps,
    decide_closure,
    refuse_incomplete_closure,
)
from loopx.core.errors import ClosureIncompleteError

OVER = ClosureFacts(total=3)
COUNTS = {
    "open_work": ClosureCode.WORK_OPEN,
    "open_monitors": ClosureCode.MONITOR_OPEN,
    "open_blockers": ClosureCode.BLOCKER_OPEN,
    "open_gates": ClosureCode.GATE_OPEN,
    "open_user_actions": ClosureCode.USER_ACTION_OPEN,
    "blocked": ClosureCode.WORK_BLOCKED,
    "deferred": ClosureCode.WORK_DEFERRED,
}
NAMES = {"unstated": ClosureCode.FOLLOW_UP_UNSTATED, "unmet_criteria": ClosureCode.ACCEPTANCE_UNMET}

facts = st.builds(
    ClosureFacts,
    total=st.integers(0, 2),
    **{field: st.integers(0, 2) for field in COUNTS},
    **{field: st.lists(st.sampled_from(["A1", "A2"]), unique=True).map(tuple) for field in NAMES},
)


def test_a_goal_with_nothing_left_is_over() -> None:
    assert decide_closure(OVER).is_terminal
    assert not decide_closure(OVER).needs_plan
    refuse_incomplete_closure("g", OVER)


def test_an_empty_graph_is_not_an_end_but_asks_for_a_plan() -> None:
    closure = decide_closure(ClosureFacts(total=0))
    assert closure.missing == (ClosureGap(ClosureCode.EMPTY_GRAPH, 1),)
    assert closure.needs_plan


@pytest.mark.parametrize(("field", "code"), COUNTS.items())
def test_whatever_is_open_keeps_the_goal_open_and_is_no_matter_of_planning(field: str, code: ClosureCode) -> None:
    closure = decide_closure(OVER._replace(**{field: 2}))
    assert closure.missing == (ClosureGap(code, 2),)
    assert not closure.is_terminal
    assert not closure.needs_plan


@pytest.mark.parametrize(("field", "code"), NAMES.items())
def test_what_no_todo_will_mend_asks_for_a_plan_and_is_named(field: str, code: ClosureCode) -> None:
    closure = decide_closure(OVER._replace(**{field: ("A1", "A2")}))
    assert closure.missing == (ClosureGap(code, 2, ("A1", "A2")),)
    assert closure.needs_plan


@given(facts)
def test_a_gap_is_listed_exactly_where_its_count_is_not_zero(counts: ClosureFacts) -> None:
    expected = {code for field, code in {**COUNTS, **NAMES}.items() if getattr(counts, field)}
    if counts.total == 0:
        expected.add(ClosureCode.EMPTY_GRAPH)
    codes = [gap.code for gap in closure_gaps(counts)]
    assert set(codes) == expected
    assert codes == [code for code in ClosureCode if code in expected]
    assert decide_closure(counts).is_terminal == (not expected)


def test_closing_early_is_refused_with_everything_that_is_left() -> None:
    left = OVER._replace(open_work=2, unstated=tuple(f"todo_{n}" for n in range(7)), unmet_criteria=("A1",))
    with pytest.raises(ClosureIncompleteError) as refusal:
        refuse_incomplete_closure("ship", left)
    assert refusal.value.message == (
        "the goal ship is not over: work_open (2), "
        "follow_up_unstated (todo_0, todo_1, todo_2, todo_3, todo_4, …), acceptance_unmet (A1)"
    )
    assert refusal.value.details["goal_id"] == "ship"
    missing = refusal.value.details["missing"]
    assert isinstance(missing, list)
    assert [gap["code"] for gap in missing] == ["work_open", "follow_up_unstated", "acceptance_unmet"]
