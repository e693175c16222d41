"""Every command that a decision prints runs as it is printed, each on a copy of the state it was printed for."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx.cli.context import Ports
from loopx.core.instant import DAY, HOUR
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens

D1 = "direction:action:public_api_change"
AGENTS = ("agent-a", "agent-b")


class Lab:
    """A project of one team, driven in this process under a clock that the scenario moves."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = FakeClock()
        self.ports = Ports(self.clock, SequenceIds(), SequenceTokens())
        root.mkdir()
        agents = [word for agent in AGENTS for word in ("--agent", agent)]
        self.at(root).ok("init", "--goal-id", "lab", "--objective", "Try it", *agents)

    def at(self, root: Path) -> Loopx:
        return Loopx(root, in_process=True, ports=self.ports)

    def ok(self, *argv: str) -> dict[str, Any]:
        return self.at(self.root).ok(*argv)

    def add(self, text: str, *argv: str, role: str = "agent") -> str:
        document = self.ok("todo", "add", "--goal-id", "lab", "--role", role, "--text", text, *argv)
        return str(document["todo"]["todo_id"])

    def gate(self, *argv: str) -> str:
        return self.add("May it?", "--task-class", "user_gate", *argv, role="user")

    def complete(self, todo_id: str, *argv: str) -> None:
        self.ok("todo", "complete", todo_id, "--claimed-by", "agent-a", "--evidence", "seen", *argv)

    def monitor(self, *argv: str) -> str:
        return self.add("Watch", "--task-class", "continuous_monitor", *argv)


def worked_example(lab: Lab) -> None:
    held = lab.add("[P0] Change the API", "--required-decision-scope", D1)
    lab.ok("todo", "claim", held, "--claimed-by", "agent-a")
    lab.gate("--decision-scope", D1, "--blocks-agent", "agent-a", "--unblocks-todo-id", held)
    lab.add("[P1] Smoke")
    lab.monitor("--poll-every", "1h", "--next-due-at", "in:24h")


def nothing_at_all(lab: Lab) -> None:
    pass


def claimed_work(lab: Lab) -> None:
    lab.ok("todo", "claim", lab.add("Mine"), "--claimed-by", "agent-a")


def leased_work(lab: Lab) -> None:
    todo = lab.add("Mine")
    lab.ok("task-lease", "acquire", "--todo-id", todo, "--agent-id", "agent-a", "--ttl", "1h")


def incomplete_gate(lab: Lab) -> None:
    lab.add("Work")
    lab.gate()


def global_gate(lab: Lab) -> None:
    lab.add("Work")
    lab.gate("--global-gate")
    lab.add("Look at it", role="user")


def missing_gate(lab: Lab) -> None:
    lab.add("Work", "--required-decision-scope", D1)


def rejected_gate(lab: Lab) -> None:
    held = lab.add("Work", "--required-decision-scope", D1)
    gate = lab.gate("--decision-scope", D1, "--blocks-agent", "agent-a", "--unblocks-todo-id", held)
    lab.ok("gate", "answer", gate, "--decision", "reject")


def missing_capabilities(lab: Lab) -> None:
    lab.add("Look", "--required-capability", "browser")
    lab.add("Deploy", "--required-capability", "production_credential")


def failed_dependency(lab: Lab) -> None:
    root = lab.add("Root")
    lab.add("Waits", "--blocked-by", root)
    lab.complete(root, "--outcome", "failed")


def superseded_dependency(lab: Lab) -> None:
    root = lab.add("Root")
    lab.add("Waits", "--blocked-by", root)
    lab.ok("todo", "supersede", root, "--reason", "another way", "--no-replacement", "--agent-id", "agent-a")


def open_dependency(lab: Lab) -> None:
    lab.add("Waits", "--blocked-by", lab.add("Root", "--bound-agent", "agent-b"))


def nobody_may_take_it(lab: Lab) -> None:
    lab.add("Work", "--excluded-agent", "agent-a", "--excluded-agent", "agent-b")


def bound_to_a_retired_agent(lab: Lab) -> None:
    lab.ok("agent", "register", "--goal-id", "lab", "--agent-id", "agent-c")
    lab.add("Work", "--bound-agent", "agent-c")
    lab.gate("--blocks-agent", "agent-c")
    lab.ok("agent", "retire", "--goal-id", "lab", "--agent-id", "agent-c")


def due_monitor(lab: Lab) -> None:
    lab.monitor("--poll-every", "1h")
    lab.clock.advance(HOUR)


def expired_monitor(lab: Lab) -> None:
    lab.monitor("--poll-every", "1h", "--expires-at", "in:2h")
    lab.clock.advance(2 * HOUR)


def unchanged_monitor(lab: Lab) -> None:
    monitor = lab.monitor("--poll-every", "1h")
    for _ in range(10):
        lab.clock.advance(HOUR)
        poll = ("monitor", "poll", monitor, "--result", "no_change", "--evidence", "same", "--agent-id", "agent-a")
        lab.ok(*poll)


def awake_work(lab: Lab) -> None:
    lab.add("Later", "--status", "deferred", "--resume-when", "in:1h")
    lab.clock.advance(HOUR)


def asleep_and_blocked(lab: Lab) -> None:
    lab.add("Later", "--status", "deferred", "--resume-when", "in:1h")
    lab.add("Stuck", "--status", "blocked", "--reason", "no disk")
    lab.add("Down", "--task-class", "blocker", "--reason", "the API is down")


def blocked_by_what_is_closed(lab: Lab) -> None:
    root = lab.add("Root")
    lab.add("Waits", "--status", "blocked", "--blocked-by", root)
    lab.complete(root, "--no-follow-up", "--reason", "done")


def recovered_blocker(lab: Lab) -> None:
    blocker = lab.add("Down", "--task-class", "blocker", "--reason", "the API is down")
    lab.ok("todo", "defer", blocker, "--resume-when", "in:1h", "--agent-id", "agent-a")
    lab.clock.advance(HOUR)


def hopeless_condition(lab: Lab) -> None:
    root = lab.add("Root")
    lab.add("Later", "--status", "deferred", "--resume-when", f"todo_done:{root}")
    lab.complete(root, "--outcome", "failed")


def used_budget(lab: Lab) -> None:
    lab.add("Work")
    lab.ok("goal", "update", "--goal-id", "lab", "--slots", "0", "--window", "1d")


def gap(lab: Lab) -> None:
    lab.complete(lab.add("Work"))


def unmet_acceptance(lab: Lab) -> None:
    lab.ok("goal", "update", "--goal-id", "lab", "--acceptance", "It works")
    lab.complete(lab.add("Work"), "--no-follow-up", "--reason", "done")


def paused(lab: Lab) -> None:
    lab.add("Work")
    lab.ok("goal", "pause", "--goal-id", "lab")


def stale_claim(lab: Lab) -> None:
    lab.ok("todo", "claim", lab.add("Work"), "--claimed-by", "agent-b")
    lab.clock.advance(DAY)


SCENARIOS: tuple[Callable[[Lab], None], ...] = (
    worked_example, nothing_at_all, claimed_work, leased_work, incomplete_gate, global_gate, missing_gate,
    rejected_gate, missing_capabilities, failed_dependency, superseded_dependency, open_dependency,
    nobody_may_take_it, bound_to_a_retired_agent, due_monitor, expired_monitor, unchanged_monitor, awake_work,
    asleep_and_blocked, blocked_by_what_is_closed, recovered_blocker, hopeless_condition, used_budget, gap,
    unmet_acceptance, paused, stale_claim,
)  # fmt: skip


def printed(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith("loopx "):
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from printed(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from printed(inner)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_every_printed_command_runs(scenario: Callable[[Lab], None], tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    scenario(lab)
    commands: dict[str, None] = {}
    for agent in AGENTS:
        packet = lab.ok("quota", "should-run", "--goal-id", "lab", "--agent-id", agent, "--explain")
        commands |= dict.fromkeys(printed(packet))
    for number, command in enumerate(commands):
        copy = tmp_path / str(number)
        shutil.copytree(lab.root, copy)
        lab.at(copy).ok(*words_of(command), stdin="in my own words\n")


def words_of(command: str) -> list[str]:
    """The words after `loopx`; what a gate asks on a terminal is answered here."""
    words = shlex.split(command)[1:]
    return [*words, "--decision", "approve"] if words[:2] == ["gate", "answer"] else words
