"""Merging exports: no record is lost, a change of one side stands, and the order of merging does not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.core.merge import TIMES, Conflict, Taken, merge

if TYPE_CHECKING:
    from loopx.core.merge import Key, Record

Side = dict["Key", "Record"]
OLD, NEW, NEWER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-02T00:00:00.5Z"


def todo(name: str = "t", **fields: Any) -> Side:
    record = {"kind": "todo", "id": name, "text": "do it", "status": "open", "updated_at": OLD} | fields
    return {("todo", name): {field: value for field, value in record.items() if value is not None}}


def merged(base: Side, ours: Side, theirs: Side) -> Record:
    (record,) = merge(base, ours, theirs).records.values()
    return record


def conflicts(base: Side, ours: Side, theirs: Side) -> list[tuple[str, str]]:
    return [(conflict.field, conflict.taken.value) for conflict in merge(base, ours, theirs).conflicts]


# --- one record --------------------------------------------------------------------------


def test_changes_of_different_fields_come_together() -> None:
    ours, theirs = todo(text="do it well", updated_at=NEW), todo(priority=0, updated_at=NEWER)
    found = merged(todo(priority=2), todo(text="do it well", priority=2, updated_at=NEW), theirs)
    assert (found["text"], found["priority"], found["updated_at"]) == ("do it well", 0, NEWER)
    assert found[TIMES] == {"text": NEW}
    assert conflicts(todo(), ours, theirs) == []


def test_a_field_that_one_side_changed_has_its_value_even_if_the_other_was_written_later() -> None:
    assert merged(todo(), todo(text="new", updated_at=NEW), todo(updated_at=NEWER))["text"] == "new"


def test_a_field_that_one_side_emptied_is_empty() -> None:
    assert "evidence" not in merged(todo(block_reason="x"), todo(updated_at=NEW), todo(block_reason="x"))


def test_of_two_changes_of_one_field_the_later_wins_and_a_person_is_told() -> None:
    ours, theirs = todo(text="ours", updated_at=NEW), todo(text="theirs", updated_at=NEWER)
    assert merged(todo(), ours, theirs)["text"] == "theirs"
    assert conflicts(todo(), ours, theirs) == [("text", "theirs")]
    assert conflicts(todo(), theirs, ours) == [("text", "ours")]


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    assert conflicts(todo(), todo(text="same", updated_at=NEW), todo(text="same", updated_at=NEWER)) == []


def test_closed_work_wins_over_a_later_edit_without_asking() -> None:
    closed = todo(status="done", closure="completed", closed_at=NEW, evidence="x", updated_at=NEW)
    blocked = todo(status="blocked", block_reason="later", updated_at=NEWER)
    found = merged(todo(), closed, blocked)
    assert (found["status"], found["closure"], found.get("block_reason")) == ("done", "completed", None)
    assert conflicts(todo(), closed, blocked) == []


def test_two_ways_of_closing_need_a_person_and_stay_whole() -> None:
    done = todo(status="done", closure="completed", closed_at=NEW, evidence="x", updated_at=NEW)
    given_up = todo(status="deferred", closure="superseded", closed_at=NEWER, updated_at=NEWER)
    found = merged(todo(), done, given_up)
    assert (found["status"], found["closure"], found.get("evidence")) == ("deferred", "superseded", None)
    assert conflicts(todo(), done, given_up) == [("life", "theirs")]


def test_sets_keep_what_both_keep_and_gain_what_either_gains() -> None:
    base = todo(blocked_by=["a", "b", "c"])
    found = merged(base, todo(blocked_by=["a", "c", "z"]), todo(blocked_by=["b", "a", "y"]))
    assert found["blocked_by"] == ["a", "y", "z"]
    assert conflicts(base, todo(blocked_by=["a", "c", "z"]), todo(blocked_by=["b", "a", "y"])) == []
    assert merged(base, todo(blocked_by=["z", "c", "b", "a"]), base)["blocked_by"] == ["z", "c", "b", "a"]


def test_counters_only_rise_and_creation_stays_first() -> None:
    ours = todo(version=4, attempts=1, sequence=9, created_at=NEW)
    theirs = todo(version=3, attempts=2, sequence=7, created_at=OLD)
    found = merged(todo(), ours, theirs)
    assert (found["version"], found["attempts"], found["sequence"], found["created_at"]) == (4, 2, 7, OLD)


def test_text_and_priority_are_merged_apart_and_agree_afterwards() -> None:
    base = todo(text="[P2] do it", priority=2)
    ours = todo(text="[P0] do it", priority=0, updated_at=NEW)
    theirs = todo(text="[P2] do it well", priority=2, updated_at=NEWER)
    found = merged(base, ours, theirs)
    assert (found["text"], found["priority"]) == ("[P0] do it well", 0)
    assert conflicts(base, ours, theirs) == []


# --- many records ------------------------------------------------------------------------


def test_no_record_is_lost() -> None:
    found = merge(todo("a") | todo("b"), todo("a") | todo("c"), todo("b") | todo("d"))
    assert sorted(record_id for _, record_id in found.records) == ["a", "b", "c", "d"]


def test_edges_that_close_a_cycle_together_need_a_person() -> None:
    base = todo("a") | todo("b")
    ours, theirs = todo("a", blocked_by=["b"]) | todo("b"), todo("a") | todo("b", blocked_by=["a"])
    assert merge(base, ours, theirs).conflicts == [Conflict("todo", "a", "blocked_by", Taken.BOTH)]


def test_records_of_kinds_and_with_fields_from_the_future_are_merged_too() -> None:
    key = ("dream", "x")
    base, ours = {key: {"kind": "dream", "id": "x", "a": 1}}, {key: {"kind": "dream", "id": "x", "a": 2}}
    theirs = {key: {"kind": "dream", "id": "x", "a": 1, "b": [None]}}
    assert merge(base, ours, theirs).records[key] == {"kind": "dream", "id": "x", "a": 2, "b": [None]}


# --- laws --------------------------------------------------------------------------------

_odd = st.sampled_from([None, 0, True, "x", ["y"], {"z": 1}])
_names = st.sampled_from("pqrs")
_fields = st.fixed_dictionaries(
    {"updated_at": st.sampled_from([OLD, NEW, NEWER])},
    optional={
        "text": st.sampled_from(["do it", "[P1] do it", "[P4] do it", "other"]),
        "priority": st.integers(0, 4),
        "blocked_by": st.lists(_names, max_size=3, unique=True),
        "acceptance": st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
        "status": st.sampled_from(["open", "blocked"]),
        "closure": st.sampled_from(["completed", "failed"]),
        "evidence": st.sampled_from(["e", "f"]),
        "bound_agent": _names,
        "validation_argv": st.lists(_names, min_size=1, max_size=2),
        "version": st.integers(1, 9),
        "future": _odd,
    },
)
_sides = st.dictionaries(st.sampled_from(["t", "u"]), _fields, max_size=2).map(
    lambda side: {("todo", name): {"kind": "todo", "id": name} | fields for name, fields in side.items()}
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Side, Side, Side, Side]:
    """A base and three sides that came of it: what a side has not touched is as it was."""

    def side() -> Side:
        changed = draw(_sides)
        return {key: {**base.get(key, {}), **record} for key, record in changed.items()} | {
            key: record for key, record in base.items() if key not in changed
        }

    base = draw(_sides)
    return base, side(), side(), side()


def said(base: Side, ours: Side, theirs: Side) -> Side:
    return merge(base, ours, theirs).records


def as_text(side: Side) -> dict[Key, str]:
    import json

    return {key: json.dumps(record, sort_keys=True) for key, record in side.items()}


@settings(max_examples=300)
@given(histories())
def test_merging_is_associative_whatever_happened(history: tuple[Side, Side, Side, Side]) -> None:
    base, one, two, three = history
    left = said(base, said(base, one, two), three)
    right = said(base, one, said(base, two, three))
    assert as_text(left) == as_text(right)


def test_what_a_hand_wrote_twice_into_a_set_is_there_once() -> None:
    key = ("todo", "t")
    record = {"kind": "todo", "id": "t", "text": "do it", "updated_at": "2026-01-01T00:00:00Z"}
    twice, once = {key: {**record, "acceptance": ["a", "a"]}}, {key: {**record, "acceptance": ["a"]}}
    assert said({}, twice, once)[key]["acceptance"] == said({}, once, twice)[key]["acceptance"] == ["a"]


@given(histories())
def test_merging_is_commutative(history: tuple[Side, Side, Side, Side]) -> None:
    base, one, two, _ = history
    assert as_text(said(base, one, two)) == as_text(said(base, two, one))


@given(histories())
def test_merging_with_itself_with_the_base_and_once_more_changes_nothing(
    history: tuple[Side, Side, Side, Side],
) -> None:
    base, one, two, _ = history
    assert as_text(said(base, one, one)) == as_text(one)
    assert as_text(said(base, base, base)) == as_text(base)
    both = said(base, one, two)
    assert as_text(said(base, both, two)) == as_text(both)
    assert as_text(said(base, both, one)) == as_text(both)


@given(_sides, _sides)
def test_what_one_side_alone_changed_is_taken_as_it_is(base: Side, ours: Side) -> None:
    ours = {**base, **ours}
    found = said(base, ours, base)
    for key, record in ours.items():
        mine = {name: value for name, value in record.items() if name not in ("version", "updated_at", TIMES)}
        assert mine.items() <= found[key].items() or base.get(key)
