"""A handoff's state and the distance of two readings (W11)."""

from __future__ import annotations

from itertools import product

from loopx.core.handoff import (
    FIELDS,
    Handoff,
    HandoffState,
    SurfaceChecks,
    decide_handoff_state,
    distance_of,
    drifted,
    handoff_of,
)

WHOLE = SurfaceChecks(*[True] * 6)


def test_a_complete_surface_waits_for_a_run_and_an_incomplete_one_is_not_ready() -> None:
    for held in product((True, False), repeat=6):
        state = decide_handoff_state(SurfaceChecks(*held), run_seen=False)
        assert state is (HandoffState.READY if all(held) else HandoffState.NOT_READY)


def test_a_later_run_is_seen_whatever_the_surface_is_now() -> None:
    assert decide_handoff_state(WHOLE, run_seen=True) is HandoffState.RUN_SEEN
    assert decide_handoff_state(SurfaceChecks(*[False] * 6), run_seen=True) is HandoffState.RUN_SEEN


def test_equal_readings_have_no_distance() -> None:
    reading = {name: {"a": [1]} for name in FIELDS}
    assert drifted(reading, dict(reading)) == ()
    assert distance_of([(), ()]) == 0.0
    assert distance_of([]) == 0.0


def test_each_part_that_is_lost_or_changed_is_named() -> None:
    reading: dict[str, object] = dict.fromkeys(FIELDS, 1)
    for name in FIELDS:
        changed = {**reading, name: 2}
        lost = {other: value for other, value in reading.items() if other != name}
        assert drifted(reading, changed) == (name,)
        assert drifted(reading, lost) == (name,)


def test_the_distance_is_that_of_the_worst_reading() -> None:
    assert distance_of([(), FIELDS[:1], FIELDS[:3]]) == 3 / len(FIELDS)
    assert distance_of([FIELDS]) == 1.0


def test_a_recorded_handoff_comes_back_from_its_row() -> None:
    recorded = Handoff("handoff_1", 7, "lab", None, "ann", 5, 2, "d", {"objective": "x", "gates": "y"})
    assert handoff_of(recorded.record()) == recorded
