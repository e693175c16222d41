"""What a second look at a source means: three states, whichever format it has, and nobody's edit is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.foreign.kept import kept_text
from loopx.core.foreign.record import AcceptanceBox, ForeignRecord, ForeignState, Link
from loopx.core.import_plan import ImportPlan, Keeping, Known, Planned, Seen, Step, plan_import, text_digest

OPEN, DONE = ForeignState.OPEN, ForeignState.DONE
DROPPED, CANCELLED = ForeignState.DROPPED, ForeignState.CANCELLED
FAILED, DEFERRED = ForeignState.FAILED, ForeignState.DEFERRED


def record(name: str, state: ForeignState = OPEN, *, text: str | None = None, **more: Any) -> ForeignRecord:
    return ForeignRecord(name, text or name, state, **more)


def known(name: str, *, text: str | None = None, closed: bool = False, seen: Seen | None = None, **more: Any) -> Known:
    """A todo that came from the record of that name; nothing has changed since unless it says so."""
    return Known(f"todo of {name}", text or name, closed, seen or Seen(text_digest(name)), **more)


def whole(*given: ForeignRecord, nested: bool = False, **old: Known) -> ImportPlan:
    return plan_import(given, old, nested=nested)


def plan(*given: ForeignRecord, nested: bool = False, **old: Known) -> list[Planned]:
    return whole(*given, nested=nested, **old).planned


def step(now: ForeignRecord, old: Known) -> tuple[Step, Keeping | None]:
    (planned,) = plan_import([now], {now.source_id: old}, nested=False).planned
    return planned.step, planned.reason


def taken_over(name: str, **more: Any) -> Known:
    """A todo as an import of that record has left it."""
    before = record(name, **more)
    seen = Seen.of(before, nested=False)
    priority = 2 if before.priority is None else before.priority
    return Known(f"todo of {name}", before.text, False, seen, priority, 10, kept_text(before))  # noqa: FBT003


def test_what_is_new_is_added_and_what_was_dropped_there_is_not() -> None:
    rows = plan(record("a"), record("b", DONE), record("c", ForeignState.STARTED), record("d", CANCELLED))
    assert [row.step for row in rows] == [Step.ADDED] * 4
    assert plan(record("a", DROPPED))[0].step is Step.LEFT_OUT


@pytest.mark.parametrize(
    ("now", "old", "wanted"),
    [
        (record("a"), known("a"), (Step.UNCHANGED, None)),
        (record("a"), known("a", text="edited"), (Step.UNCHANGED, None)),  # the source says nothing new
        (record("a"), known("a", closed=True), (Step.UNCHANGED, None)),
        (record("a", text="a new"), known("a"), (Step.UPDATED, None)),
        (record("a", text="a new"), known("a", text="edited"), (Step.KEPT, Keeping.EDITED_HERE)),
        (record("a", text="a new"), known("a", text="a new"), (Step.UNCHANGED, None)),  # both came to the same
        (record("a", text="a new"), known("a", closed=True), (Step.KEPT, Keeping.CLOSED_HERE)),
        (record("a", DONE), known("a"), (Step.COMPLETED, None)),
        (record("a", FAILED), known("a"), (Step.COMPLETED, None)),
        (record("a", DONE), known("a", text="edited"), (Step.KEPT, Keeping.EDITED_HERE)),
        (record("a", DONE), known("a", closed=True), (Step.UNCHANGED, None)),
        (record("a", DROPPED), known("a"), (Step.KEPT, Keeping.CANCELLED_THERE)),
        (record("a", CANCELLED), known("a"), (Step.KEPT, Keeping.CANCELLED_THERE)),
        (record("a", CANCELLED), known("a", closed=True), (Step.UNCHANGED, None)),
        (record("a", DEFERRED), known("a"), (Step.UPDATED, None)),
    ],
)
def test_three_states_decide_what_a_second_import_means(
    now: ForeignRecord, old: Known, wanted: tuple[Step, Keeping | None]
) -> None:
    assert step(now, old) == wanted


def test_a_record_that_was_opened_again_reopens_nothing() -> None:
    done = known("a", closed=True, seen=Seen(text_digest("a"), DONE))
    assert step(record("a"), done) == (Step.KEPT, Keeping.CLOSED_HERE)


# --- priority ----------------------------------------------------------------------------


def test_a_priority_is_taken_over_and_an_edited_one_is_kept() -> None:
    old = taken_over("a", priority=2)
    assert step(record("a", priority=0), old) == (Step.UPDATED, None)
    assert step(record("a", priority=0), old._replace(priority=4)) == (Step.KEPT, Keeping.EDITED_HERE)
    assert step(record("a", priority=0), old._replace(priority=0)) == (Step.UNCHANGED, None)
    assert step(record("a", priority=2), old._replace(priority=4)) == (Step.UNCHANGED, None)


def test_the_tag_of_a_text_says_the_priority_of_its_record() -> None:
    (row,) = plan(record("a", text="[P3] a", priority=0))
    assert row.record.text == "[P0] a"


# --- dates -------------------------------------------------------------------------------


def test_an_older_file_changes_nothing() -> None:
    old = taken_over("a", updated_at=5)
    assert step(record("a", text="before", updated_at=4), old) == (Step.KEPT, Keeping.OLDER_THERE)
    assert step(record("a", updated_at=4), old) == (Step.UNCHANGED, None)


def test_an_edit_here_gives_way_only_to_a_later_one_there() -> None:
    edited = taken_over("a", updated_at=5)._replace(text="edited here", updated_at=20)
    assert step(record("a", text="there", updated_at=20), edited) == (Step.KEPT, Keeping.EDITED_HERE)
    assert step(record("a", text="there", updated_at=21), edited) == (Step.UPDATED, None)


def test_a_record_that_was_only_touched_is_no_news_and_its_date_never_falls_back() -> None:
    old = taken_over("a", updated_at=5)
    (touched,) = plan(record("a", updated_at=6), a=old)
    assert (touched.step, touched.is_news) == (Step.UNCHANGED, False)
    (older,) = plan(record("a", updated_at=4), a=old)
    assert older.seen.updated_at == 5


def test_of_two_records_of_one_id_the_last_updated_counts_and_the_other_is_told() -> None:
    found = whole(
        record("a", text="new", updated_at=9, line=1),
        record("b", line=2),
        record("a", text="old", updated_at=3, line=3),
    )
    assert [(row.record.source_id, row.record.text) for row in found.planned] == [("a", "new"), ("b", "b")]
    assert [(note.reason_code, note.line) for note in found.notes] == [("duplicate_id", 3)]
    assert [row.record.text for row in plan(record("a", text="first"), record("a", text="last"))] == ["last"]


# --- edges -------------------------------------------------------------------------------


def test_nesting_makes_an_open_record_wait_for_its_parts_and_only_where_asked() -> None:
    given = (record("a"), record("b", parent="a"), record("c", DROPPED, parent="a"), record("d", DONE, parent="a"))
    assert plan(*given)[0].links == ()
    assert plan(*given, nested=True)[0].links == ("b", "d")
    assert plan(record("a", DONE), record("b", parent="a"), nested=True)[0].links == ()


def test_a_known_record_is_linked_to_new_parts_alone_so_that_a_removed_link_stays_removed() -> None:
    seen = Seen(text_digest("a"), nested=True)
    given = (record("a"), record("b", parent="a"), record("c", parent="a"))
    planned = plan(*given, nested=True, a=known("a", seen=seen), b=known("b"))
    assert (planned[0].step, planned[0].links) == (Step.UPDATED, ("c",))
    assert plan(*given, nested=True, a=known("a"), b=known("b"))[0].links == ("b", "c")
    assert plan(*given, nested=True, a=known("a", closed=True, seen=seen))[0].links == ()


def test_edges_follow_the_source_and_one_that_was_removed_here_stays_removed() -> None:
    old = taken_over("a", depends_on=("b", "c"))
    others = {"b": known("b"), "c": known("c"), "d": known("d")}
    rest = [record(name) for name in others]
    same = plan_import([record("a", depends_on=("b", "c")), *rest], {"a": old, **others}, nested=False).planned[0]
    assert (same.links, same.unlinks) == ((), ())
    moved = plan_import([record("a", depends_on=("c", "d")), *rest], {"a": old, **others}, nested=False).planned[0]
    assert (moved.step, moved.links, moved.unlinks) == (Step.UPDATED, ("d",), ("b",))


def test_an_edge_that_led_nowhere_is_linked_when_its_record_comes() -> None:
    old = taken_over("a", depends_on=("b",))
    assert plan(record("a", depends_on=("b",)), record("b"), a=old)[0].links == ("b",)


# --- what is kept beside the todo --------------------------------------------------------


def test_what_a_todo_has_no_place_for_is_kept_and_its_change_is_an_update() -> None:
    full = record(
        "a", parent="p", links=(Link("related", "z"),), labels=("x",), assignee="someone", created_at=0,
        acceptance=(AcceptanceBox("works", is_ticked=True),), extra={"unknown": {"a": [1, None]}},
    )  # fmt: skip
    (row,) = plan(full)
    assert row.kept is not None
    for word in ('"parent":"p"', '"related"', '"labels":["x"]', "someone", "1970-01-01", '"ticked":true', '"unknown"'):
        assert word in row.kept
    old = known("a", kept=row.kept)
    assert step(full, old) == (Step.UNCHANGED, None)
    assert step(full._replace(labels=("y",)), old) == (Step.UPDATED, None)
    assert step(full._replace(state=DONE, labels=("y",)), old._replace(is_closed=True)) == (Step.UPDATED, None)


def test_nothing_is_kept_of_a_record_that_a_todo_says_whole() -> None:
    assert plan(record("a", priority=1, updated_at=5))[0].kept is None


# --- what is remembered ------------------------------------------------------------------


@given(
    st.sampled_from([state for state in ForeignState if state is not ForeignState.STARTED]),
    st.booleans(),
    st.none() | st.integers(0, 4),
    st.none() | st.integers(),
)
def test_what_was_seen_is_read_back_as_it_was_written(
    state: ForeignState, nested: bool, priority: int | None, at: int | None
) -> None:
    seen = Seen("0123", state, nested, priority, at)
    assert Seen.read(str(seen)) == seen


def test_that_somebody_has_begun_there_is_no_state_of_its_own() -> None:
    assert Seen.of(record("a", ForeignState.STARTED), nested=False).state is OPEN


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from(list(ForeignState))), max_size=8))
def test_importing_the_same_again_changes_nothing(given_records: list[tuple[str, ForeignState]]) -> None:
    records = [record(name, state, updated_at=place) for place, (name, state) in enumerate(given_records)]
    first = plan_import(records, {}, nested=True).planned
    left = {
        row.record.source_id: Known(
            "todo", row.record.text, row.record.state in (DONE, FAILED, CANCELLED), row.seen, 2, 0, row.kept
        )
        for row in first
        if row.step is Step.ADDED
    }
    again = plan_import(records, left, nested=True).planned
    assert {row.step for row in again} <= {Step.UNCHANGED, Step.LEFT_OUT}
    assert not any(row.is_news for row in again if row.step is Step.UNCHANGED)
