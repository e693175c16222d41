"""Born expired, ABA, two clocks, a name that is no session: a lease is its id, version and interval (W5, S2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from loopx.app.lease import LeaseRequest, LeaseStep, acquire_lease, release_lease, renew_lease, transfer_lease
from loopx.app.todo_claim import claim_todo, release_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_pause import defer_todo
from loopx.app.todo_show import show_todo
from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.app.todo_update import TodoPatch, update_todo
from loopx.core.errors import (
    AlreadyClaimedError,
    AlreadyDoneError,
    ClaimMismatchError,
    ClaimTokenRequiredError,
    LeaseExpiredError,
    LoopxError,
    NotClaimOwnerError,
    UsageError,
    VersionConflictError,
)
from loopx.core.instant import DAY, HOUR, MINUTE, SECOND, parse_duration
from tests.support.crew import add, claim
from tests.support.fakes import FakeClock
from tests.support.project import REGISTRY, call, make_state, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from loopx.app.project import Project

TTL = 10 * MINUTE


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Iterator[Project]:
    make_state(tmp_path)
    with opened(tmp_path, clock=clock) as project:
        yield project


@pytest.fixture
def todo(project: Project) -> str:
    return str(add(project, text="work")["todo"]["todo_id"])


def acquired(project: Project, todo: str, agent: str = "ann", ttl: int = TTL) -> dict[str, Any]:
    lease = acquire_lease(project, call("lease_acquired", agent), LeaseRequest(todo, ttl))["lease"]
    assert isinstance(lease, dict)
    return lease


def renewed(project: Project, lease: dict[str, Any], agent: str = "ann", **step: Any) -> dict[str, Any]:
    answer = renew_lease(project, call("lease_renewed", agent), LeaseStep(lease["lease_id"], **step))["lease"]
    assert isinstance(answer, dict)
    return answer


def finished(project: Project, todo: str, agent: str = "ann", token: str | None = None) -> dict[str, Any]:
    return complete_todo(project, call("todo_completed", agent, claim_token=token), todo, Completion(evidence="seen"))


# --- the interval --------------------------------------------------------------------------


def test_a_lease_finishes_its_work_until_the_last_microsecond_before_its_end(
    project: Project, todo: str, clock: FakeClock
) -> None:
    lease = acquired(project, todo)
    clock.advance(TTL - 1)
    assert finished(project, todo, token=lease["claim_token"])["closure"] == "completed"


def test_a_lease_is_free_from_its_expiry_instant_on(project: Project, todo: str, clock: FakeClock) -> None:
    lease = acquired(project, todo)
    clock.advance(TTL)
    with pytest.raises(LeaseExpiredError):
        finished(project, todo, token=lease["claim_token"])
    with pytest.raises(LeaseExpiredError):
        renewed(project, lease)
    assert acquired(project, todo, "bob")["holder"] == "bob"


def test_a_renewal_at_the_last_microsecond_keeps_the_lease(project: Project, todo: str, clock: FakeClock) -> None:
    lease = acquired(project, todo)
    clock.advance(TTL - 1)
    renewed(project, lease, ttl=TTL)
    clock.advance(TTL - 1)
    assert finished(project, todo, token=lease["claim_token"])["closure"] == "completed"


def test_renewing_without_a_ttl_never_shortens_a_lease_and_never_lets_it_grow(
    project: Project, todo: str, clock: FakeClock
) -> None:
    lease = acquired(project, todo, ttl=2 * HOUR)
    assert renewed(project, lease)["expires_at"] == lease["expires_at"]
    clock.advance(2 * HOUR - 1)
    for _ in range(5):  # each beat gives the default again, not the age of the lease
        renewed(project, lease)
        clock.advance(15 * MINUTE - 1)
    clock.advance(1)
    with pytest.raises(LeaseExpiredError):
        renewed(project, lease)


def test_a_soft_claim_is_anybodys_from_its_stale_instant_on(project: Project, todo: str, clock: FakeClock) -> None:
    claim_todo(project, call("todo_claimed", "ann"), todo, HOUR)
    clock.advance(HOUR - 1)
    with pytest.raises(AlreadyClaimedError):
        claim(project, todo=todo, agent="bob")
    clock.advance(1)
    answer = claim(project, todo=todo, agent="bob")
    assert answer["todo"]["claimed_by"] == "bob"
    receipt = project.read(
        lambda snapshot: snapshot.db.execute("SELECT receipt FROM events ORDER BY sequence DESC").fetchone()[0]
    )
    assert '"previous_owner":"ann"' in receipt


def test_a_stale_claim_stands_in_nobodys_way_from_its_instant_on(project: Project, todo: str, clock: FakeClock) -> None:
    claim_todo(project, call("todo_claimed", "ann"), todo, HOUR)
    clock.advance(HOUR - 1)
    with pytest.raises(NotClaimOwnerError):
        finished(project, todo, "bob")
    clock.advance(1)
    assert finished(project, todo, "bob")["closure"] == "completed"


def test_a_read_shows_a_lease_until_its_last_microsecond_and_no_longer(
    project: Project, todo: str, clock: FakeClock
) -> None:
    lease = acquired(project, todo)
    clock.advance(TTL - 1)
    assert show_todo(project, todo)["todo"]["lease"]["lease_id"] == lease["lease_id"]
    clock.advance(1)
    assert show_todo(project, todo)["todo"]["lease"] is None


def test_the_claims_of_a_retired_agent_are_stale_at_once_and_its_leases_run_out(
    tmp_path: Path, project: Project, clock: FakeClock
) -> None:
    soft, hard = (add(project, text=text)["todo"]["todo_id"] for text in ("soft", "hard"))
    claim(project, todo=soft, agent="ann")
    acquired(project, hard)
    retired = REGISTRY.replace("{id: ann}", "{id: ann, retired: true}")
    (tmp_path / ".loopx" / "registry.yaml").write_text(retired, encoding="utf-8")
    assert claim(project, todo=soft, agent="bob")["todo"]["claimed_by"] == "bob"
    with pytest.raises(LoopxError) as refusal:
        claim(project, todo=hard, agent="bob")
    assert refusal.value.code == "lease_conflict"
    clock.advance(TTL)
    assert claim(project, todo=hard, agent="bob")["todo"]["claimed_by"] == "bob"


# --- the clock -----------------------------------------------------------------------------


def test_a_clock_that_steps_back_never_extends_a_lease(project: Project, todo: str, clock: FakeClock) -> None:
    lease = acquired(project, todo)
    clock.advance(-DAY)
    again = renewed(project, lease, ttl=MINUTE)
    assert again["acquired_at"] < again["expires_at"] < lease["expires_at"]
    clock.advance(MINUTE)
    with pytest.raises(LeaseExpiredError):
        renewed(project, again)


def test_a_clock_that_steps_back_does_not_bring_a_settled_lease_to_life(
    project: Project, todo: str, clock: FakeClock
) -> None:
    lease = acquired(project, todo)
    clock.advance(TTL)
    other = acquired(project, todo, "bob")
    clock.advance(-TTL)
    with pytest.raises(LeaseExpiredError):
        finished(project, todo, token=lease["claim_token"])
    assert finished(project, todo, "bob", other["claim_token"])["closure"] == "completed"


def test_a_clock_that_leaps_ahead_does_not_beat_the_token_of_the_new_holder(
    project: Project, todo: str, clock: FakeClock
) -> None:
    old = acquired(project, todo)
    clock.advance(366 * DAY)
    new = acquired(project, todo, "bob")
    for token in (old["claim_token"], None):
        with pytest.raises((LeaseExpiredError, ClaimTokenRequiredError)):
            finished(project, todo, token=token)
    assert finished(project, todo, "bob", new["claim_token"])["closure"] == "completed"


# --- versions and tokens -------------------------------------------------------------------


def test_versions_only_rise_through_renewal_release_expiry_and_transfer(
    project: Project, todo: str, clock: FakeClock
) -> None:
    first = acquired(project, todo)
    versions = [first["version"], renewed(project, first)["version"]]
    released = release_lease(project, call("lease_released", "ann"), LeaseStep(first["lease_id"]))
    versions.append(released["lease"]["version"])
    second = acquired(project, todo)
    versions.append(second["version"])
    clock.advance(TTL)
    third = acquired(project, todo, "bob")
    versions.append(third["version"])
    step = LeaseStep(third["lease_id"], to="ann")
    versions.append(transfer_lease(project, call("lease_transferred", "bob"), step)["lease"]["version"])
    assert versions == sorted(set(versions))


def test_a_version_of_before_is_refused_even_where_the_lease_is_held_again(project: Project, todo: str) -> None:
    first = acquired(project, todo)
    release_lease(project, call("lease_released", "ann"), LeaseStep(first["lease_id"]))
    second = acquired(project, todo)
    with pytest.raises(LeaseExpiredError):
        renewed(project, first, expect_version=first["version"])
    with pytest.raises(VersionConflictError):
        renewed(project, second, expect_version=first["version"])


def test_a_restarted_worker_of_the_same_name_does_not_keep_the_dead_ones_lease(
    project: Project, todo: str, clock: FakeClock
) -> None:
    acquired(project, todo)
    with pytest.raises(ClaimTokenRequiredError):
        finished(project, todo)
    with pytest.raises(LoopxError) as refusal:
        acquired(project, todo)
    assert refusal.value.code == "lease_conflict"
    clock.advance(TTL)
    again = acquired(project, todo)
    assert finished(project, todo, token=again["claim_token"])["closure"] == "completed"


@pytest.mark.parametrize("shows_token", [True, False])
def test_a_late_holder_writes_nothing_until_it_claims_again(
    project: Project, todo: str, clock: FakeClock, shows_token: bool
) -> None:
    lease = acquired(project, todo)
    clock.advance(TTL)
    asked = call("late", "ann", claim_token=lease["claim_token"] if shows_token else None, reason="late")
    verbs: tuple[Callable[[], object], ...] = (
        lambda: complete_todo(project, asked, todo, Completion(evidence="late")),
        lambda: update_todo(project, asked, todo, TodoPatch(action_kind="late")),
        lambda: supersede_todo(project, asked, todo, Replacement(none=True)),
        lambda: defer_todo(project, asked, todo, "in:1h"),
        lambda: release_todo(project, asked, todo),
    )
    for verb in verbs:
        with pytest.raises(LeaseExpiredError):
            verb()
    claim(project, todo=todo, agent="ann")
    assert finished(project, todo)["closure"] == "completed"


def test_a_lease_given_back_by_its_holder_leaves_no_shadow(project: Project, todo: str) -> None:
    lease = acquired(project, todo)
    release_lease(project, call("lease_released", "ann"), LeaseStep(lease["lease_id"]))
    assert finished(project, todo)["closure"] == "completed"


def test_a_lease_taken_again_after_a_lapse_and_given_back_leaves_no_shadow_either(
    project: Project, todo: str, clock: FakeClock
) -> None:
    acquired(project, todo)
    clock.advance(TTL)
    again = acquired(project, todo)
    release_lease(project, call("lease_released", "ann"), LeaseStep(again["lease_id"]))
    assert finished(project, todo)["closure"] == "completed"


def test_a_holder_learns_at_its_next_beat_that_its_work_was_settled(project: Project, todo: str) -> None:
    lease = acquired(project, todo)
    finished(project, todo, token=lease["claim_token"])
    with pytest.raises(AlreadyDoneError):
        renewed(project, lease)


def test_a_token_opens_only_its_own_todo_and_only_for_its_holder(project: Project, todo: str) -> None:
    other = add(project, text="other")["todo"]["todo_id"]
    lease, foreign = acquired(project, todo), acquired(project, other)
    with pytest.raises(ClaimMismatchError):
        finished(project, todo, token=foreign["claim_token"])
    with pytest.raises(ClaimMismatchError):
        finished(project, todo, "bob", lease["claim_token"])


def test_a_token_source_that_repeats_itself_claims_nothing(tmp_path: Path, project: Project, todo: str) -> None:
    class Stuck:
        def token(self) -> str:
            return "00000000-0000-4000-8000-000000000001"

    import sqlite3

    other = add(project, text="other")["todo"]["todo_id"]
    with opened(tmp_path, clock=FakeClock(), tokens=Stuck()) as stuck:
        acquired(stuck, todo)
        with pytest.raises(sqlite3.IntegrityError):
            acquired(stuck, other)
        row = "SELECT lease_holder FROM todos WHERE todo_id = ?"
        assert tuple(stuck.read(lambda snapshot: snapshot.db.execute(row, (other,)).fetchone())) == (None,)


# --- times to live -------------------------------------------------------------------------

WRONG_DURATIONS = (
    "", " ", "0", "0s", "0ms", "-1s", "-0m", "+1s", "1", "15", "m", "1.5h", "1e3s", "1_000s", "NaN", "inf", "nans",
    "infinity", "1 h", "1h ", " 1h", "1H", "1hour", "1h30m", "367d", "366d1s", "8785h", "1w", "1y", "１h", "٣h",
    "99999999999999999999d", "0x10s", "1ｍ", "1\x00s", "P1D", "PT1H", "00:10", "true", "None",
)  # fmt: skip


@pytest.mark.parametrize("text", WRONG_DURATIONS)
def test_a_time_to_live_of_a_wrong_form_is_refused_with_the_accepted_one(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_duration(text)
    assert "such as 15m" in str(refusal.value.hint)


@pytest.mark.parametrize(
    ("text", "duration"),
    [("1ms", 1_000), ("007s", 7 * SECOND), ("15m", 15 * MINUTE), ("366d", 366 * DAY), ("8784h", 366 * DAY)],
)
def test_a_time_to_live_of_the_accepted_form_is_exact(text: str, duration: int) -> None:
    assert parse_duration(text) == duration
