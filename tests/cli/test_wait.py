"""`should-run --wait`: it ends with a change, an instant or its time, and is no busy loop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopx.app.decide import should_run
from loopx.app.wait import GLANCE
from loopx.cli.context import Ports
from loopx.core.instant import DAY, HOUR, MINUTE, SECOND, Duration
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens
from tests.support.lab import add, add_gate, add_monitor, finish, lease, mode, start_lab


class Nights:
    """A sleeper under which the clock goes on, and something may happen at the end of each nap."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.naps: list[Duration] = []
        self.events: list[tuple[Duration, Callable[[], object]]] = []

    @property
    def slept(self) -> Duration:
        return sum(self.naps)

    def after(self, duration: Duration, event: Callable[[], object]) -> None:
        self.events.append((duration, event))

    def sleep(self, duration: Duration) -> None:
        self.naps.append(duration)
        self.clock.advance(duration)
        due = [event for at, event in self.events if at <= self.slept]
        self.events = [(at, event) for at, event in self.events if at > self.slept]
        for event in due:
            event()


@pytest.fixture
def nights(clock: FakeClock) -> Nights:
    return Nights(clock)


@pytest.fixture
def lab(tmp_path: Path, clock: FakeClock, ids: SequenceIds, tokens: SequenceTokens, nights: Nights) -> Loopx:
    return start_lab(Loopx(tmp_path, in_process=True, ports=Ports(clock, ids, tokens, nights)))


def wait(lab: Loopx, duration: str, *more: str, agent: str = "ann") -> dict[str, Any]:
    return lab.ok("quota", "should-run", "--agent-id", agent, "--wait", duration, *more)


def test_a_yes_is_not_waited_for(lab: Loopx, nights: Nights) -> None:
    add(lab, "work")
    assert wait(lab, "1h")["should_run"] is True
    assert nights.naps == []


def test_a_no_is_said_when_the_time_is_over(lab: Loopx, nights: Nights) -> None:
    add_gate(lab, None, "--global-gate")
    packet = wait(lab, "90s")
    assert mode(packet) == "user_gate"
    assert nights.slept == 90 * SECOND


def test_the_last_nap_ends_with_the_time(lab: Loopx, nights: Nights) -> None:
    add_gate(lab, None, "--global-gate")
    wait(lab, "1300ms")
    assert nights.naps == [GLANCE] * 6 + [1_300_000 - 6 * GLANCE]


@pytest.mark.parametrize("duration", ["0s", "-1s", "NaN", "367d", "1"])
def test_a_wait_is_bounded(lab: Loopx, duration: str) -> None:
    lab.refused("quota", "should-run", "--agent-id", "ann", "--wait", duration, code="usage", exit_code=2)


def test_a_change_of_the_database_ends_the_wait(lab: Loopx, nights: Nights) -> None:
    gate = add_gate(lab, None, "--global-gate")
    todo = add(lab, "work")
    other = Loopx(lab.root, in_process=True, ports=lab._ports)
    nights.after(5 * SECOND, lambda: other.ok("gate", "answer", gate, "--decision", "approve"))
    packet = wait(lab, "1h")
    assert packet["selected_todo"]["todo_id"] == todo
    assert nights.slept == 5 * SECOND


def test_a_change_of_the_registry_by_hand_ends_the_wait(lab: Loopx, nights: Nights) -> None:
    add(lab, "work")
    lab.ok("goal", "pause")
    registry = lab.root / ".loopx" / "registry.yaml"

    def resume_by_hand() -> None:
        registry.write_text(registry.read_text().replace("state: paused", "state: active"))

    nights.after(3 * SECOND, resume_by_hand)
    assert mode(wait(lab, "1h")) == "bounded_delivery"
    assert nights.slept == 3 * SECOND


def test_a_change_that_means_no_is_waited_through(lab: Loopx, nights: Nights) -> None:
    add_gate(lab, None, "--global-gate")
    other = Loopx(lab.root, in_process=True, ports=lab._ports)
    nights.after(SECOND, lambda: other.ok("todo", "add", "--text", "more that is held"))
    packet = wait(lab, "10s")
    assert (mode(packet), packet["frontier"]["blocked"]) == ("user_gate", 1)
    assert nights.slept == 10 * SECOND


@pytest.mark.parametrize("what", ["monitor", "deferred", "lease", "claim", "budget"])
def test_an_instant_ends_the_wait_without_any_write(lab: Loopx, nights: Nights, what: str) -> None:
    if what == "monitor":
        add_monitor(lab, "--next-due-at", "in:10m")
    elif what == "deferred":
        add(lab, "later", "--status", "deferred", "--resume-when", "in:10m")
    elif what == "lease":
        lease(lab, add(lab, "work"), "bob", "--ttl", "10m")
    elif what == "claim":
        lab.ok("todo", "claim", add(lab, "work"), "--claimed-by", "bob", "--ttl", "10m")
    else:
        spend_the_only_slot(lab, "10m")
    before = lab.ok("log")["total"]
    assert wait(lab, "1h")["should_run"] is True
    assert nights.slept == 10 * MINUTE
    assert lab.ok("log")["total"] == before


def spend_the_only_slot(lab: Loopx, window: str) -> None:
    lab.ok("goal", "update", "--slots", "1", "--window", window)
    told = ("--agent-id", "ann", "--run-kind", "work", "--evidence", "seen", "--validation", "make test")
    run = lab.ok("refresh-state", add(lab, "work"), *told)["run"]["run_id"]
    lab.ok("quota", "spend-slot", "--agent-id", "ann", "--run-id", run)


def test_a_peer_that_finishes_ends_the_wait(lab: Loopx, nights: Nights) -> None:
    first = add(lab, "first")
    second = add(lab, "second", "--blocked-by", first)
    token = lease(lab, first, "bob", "--ttl", "1h")["claim_token"]
    other = Loopx(lab.root, in_process=True, ports=lab._ports)
    nights.after(7 * SECOND, lambda: finish(other, first, "bob", "--claim-token", token))
    assert wait(lab, "1h")["selected_todo"]["todo_id"] == second
    assert nights.slept == 7 * SECOND


def test_nothing_is_decided_again_while_nothing_changes(
    lab: Loopx, nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_gate(lab, None, "--global-gate")
    asked: list[object] = []

    def counted(*args: Any, **more: Any) -> dict[str, Any]:
        asked.append(args)
        return should_run(*args, **more)

    monkeypatch.setattr("loopx.app.wait.should_run", counted)
    wait(lab, "10m")
    assert len(asked) == 1
    assert len(nights.naps) == 10 * MINUTE // GLANCE


def test_a_clock_that_steps_back_does_not_lengthen_the_wait(lab: Loopx, nights: Nights, clock: FakeClock) -> None:
    add_gate(lab, None, "--global-gate")
    nights.after(2 * SECOND, lambda: clock.advance(-DAY))
    assert mode(wait(lab, "5s")) == "user_gate"
    assert nights.slept == 5 * SECOND


def test_a_clock_that_steps_forward_ends_it_at_the_next_glance(lab: Loopx, nights: Nights, clock: FakeClock) -> None:
    add_monitor(lab, "--next-due-at", "in:12h")
    nights.after(2 * SECOND, lambda: clock.advance(DAY))
    assert mode(wait(lab, "1h")) == "monitor_poll"
    assert nights.slept == 2 * SECOND


def test_the_exit_code_is_of_the_last_decision(lab: Loopx, nights: Nights) -> None:
    add_monitor(lab, "--next-due-at", "in:1h")
    argv = ("quota", "should-run", "--agent-id", "ann", "--exit-code", "--wait")
    assert lab.call(*argv, "1s").code == 10
    assert lab.call(*argv, "2h").code == 0
    assert nights.slept == HOUR


def test_a_wait_explains_what_holds_in_the_end(lab: Loopx) -> None:
    todo = add(lab, "work")
    gate = add_gate(lab, None, "--global-gate")
    packet = wait(lab, "1s", "--explain")
    (drop,) = packet["explain"]["drops"]
    assert (drop["todo_id"], drop["reason_code"], drop["facts"]) == (todo, "global_gate_open", {"gate": gate})


def test_an_unknown_agent_does_not_wait(lab: Loopx, nights: Nights) -> None:
    argv = ("quota", "should-run", "--agent-id", "mallory", "--wait", "1h")
    lab.refused(*argv, code="agent_not_registered", exit_code=7)
    assert nights.naps == []
