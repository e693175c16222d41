"""Resume conditions: one canonical spelling of each, and a refusal with the forms for all else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import ResumeConditionInvalidError
from loopx.core.instant import DAY, HOUR
from loopx.core.resume import LONGEST_REF, ResumeCondition, ResumeKind, canonical_ref, parse_resume_condition

NOW = 1_700_000_000_000_000  # 2023-11-14T22:13:20Z


@pytest.mark.parametrize(
    ("text", "canonical", "at_us"),
    [
        ("todo_done:todo_0123456789", "todo_done:todo_0123456789", None),
        ("pr_merged:example/project#12", "pr_merged:example/project#12", None),
        ("pr_merged:https://github.com/example/project/pull/12", None, None),
        (" pr_merged: example/project#12 ", "pr_merged:example/project#12", None),
        ("pr_merged:cafe\u0301#1", "pr_merged:caf\u00e9#1", None),
        ("capacity_available:short_pool", "capacity_available:short_pool", None),
        ("at:2023-11-15T22:13:20Z", "at:2023-11-15T22:13:20Z", NOW + DAY),
        ("at:2023-11-15T23:13:20+01:00", "at:2023-11-15T22:13:20Z", NOW + DAY),
        ("at:2001-01-01T00:00:00Z", "at:2001-01-01T00:00:00Z", 978_307_200_000_000),
        ("in:24h", "at:2023-11-15T22:13:20Z", NOW + DAY),
        ("in:1ms", "at:2023-11-14T22:13:20.001000Z", NOW + 1_000),
        ("at:in:1h", "at:2023-11-14T23:13:20Z", NOW + HOUR),
    ],
)
def test_a_condition_has_one_spelling(text: str, canonical: str | None, at_us: int | None) -> None:
    condition = parse_resume_condition(text, now=NOW)
    assert str(condition) == (canonical or text)
    assert condition.at_us == at_us
    assert parse_resume_condition(str(condition), now=NOW + DAY) == condition


@pytest.mark.parametrize(
    "text",
    [
        "", ":", "todo_done", "todo_done:", "todo_done: ", "todo_done:a b", "pr_merged:a\nb",
        "pr_merged:a\x00", "pr_merged:\ud800", "pr_merged:" + "x" * (LONGEST_REF + 1),
        "some day", "tomorrow:x", "TODO_DONE:x",
        "at:", "at:tomorrow", "at:2023-11-15", "at:2023-11-15T22:13:20", "at:9999-12-31T23:59:59-14:00",
        "at:0001-01-01T00:00:00+14:00", "in:", "in:0s", "in:-1h", "in:24", "in:400d", "in:NaN",
    ],
)  # fmt: skip
def test_any_other_form_is_refused_with_the_accepted_ones(text: str) -> None:
    with pytest.raises(ResumeConditionInvalidError) as refusal:
        parse_resume_condition(text, now=NOW)
    assert refusal.value.hint is not None
    for form in ("todo_done:ID", "pr_merged:REF", "capacity_available:POOL", "at:TIME", "in:DUR"):
        assert form in refusal.value.hint


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("tododone:x", "todo_done"), ("pr_mergd:x", "pr_merged"), ("capacity:x", "capacity_available")],
)
def test_a_misspelt_kind_is_named(typed: str, meant: str) -> None:
    with pytest.raises(ResumeConditionInvalidError, match=f"did you mean '{meant}'"):
        parse_resume_condition(typed, now=NOW)


@given(st.text(max_size=30))
def test_a_reference_is_its_own_canonical_form(typed: str) -> None:
    ref = canonical_ref(typed)
    if ref is not None:
        assert canonical_ref(ref) == ref
        condition = parse_resume_condition(f"pr_merged:{typed}", now=NOW)
        assert condition == ResumeCondition(ResumeKind.PR_MERGED, ref)
