"""Whole-process times of the hot commands against their budgets: `make bench`.

Each size is a project of its own: ready todos at the front of the order, and behind them a graph
in which every todo waits for two earlier ones.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.seeding import AGENT, GOAL, Lab
from benchmarks.timing import Timing, time_beside_yardstick

RESULTS = Path(__file__).resolve().parent / "results"
COMMAND = (sys.executable, str(Path(sys.executable).with_name("loopx")))
SIZES = (10, 1_000)
LARGE = 100_000
_GOAL = ("--goal-id", GOAL)
FEWEST_ROUNDS = 15  # below this the median of a noisy machine says little


class Case(NamedTuple):
    """A command, its budget in yardsticks (and the budget at 100,000 todos), and its n-th call."""

    name: str
    budget: float
    budget_large: float
    argv: Callable[[int], Sequence[str]]


class Row(NamedTuple):
    todos: int
    case: Case
    timing: Timing

    @property
    def budget(self) -> float:
        return self.case.budget_large if self.todos >= LARGE else self.case.budget


def cases(lab: Lab) -> list[Case]:
    """The hot commands in the order of a turn; a verb that uses a todo up gets a fresh one each time."""
    shown = lab.fresh()

    def claim(_: int) -> Sequence[str]:
        return ("todo", "claim", "--todo-id", lab.fresh(), *_GOAL, "--claimed-by", AGENT)

    def complete(_: int) -> Sequence[str]:
        end = ("--evidence", "measured", "--no-follow-up")
        return (
            "todo",
            "complete",
            "--todo-id",
            lab.fresh(claimed_by=AGENT),
            *_GOAL,
            "--claimed-by",
            AGENT,
            *end,
        )

    return [
        Case("--version", 0.45, 0.45, lambda _: ("--version",)),
        Case("quota should-run", 1.15, 1.25, lambda _: ("quota", "should-run", *_GOAL, "--agent-id", AGENT)),
        Case("todo claim", 1.15, 1.25, claim),
        Case("todo show", 1.15, 1.25, lambda _: ("todo", "show", shown)),
        Case("todo complete", 1.15, 1.25, complete),
        Case("todo list --limit 50", 1.5, 1.5, lambda _: ("todo", "list", *_GOAL, "--limit", "50")),
        Case("status", 1.5, 1.5, lambda _: ("status", *_GOAL)),
    ]


def measure(size: int, rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="loopx-bench-") as folder:
        lab = Lab.seeded(Path(folder), size)
        return [
            Row(size, case, time_beside_yardstick(_whole(case), cwd=lab.root, rounds=rounds)) for case in cases(lab)
        ]


def _whole(case: Case) -> Callable[[int], Sequence[str]]:
    json_mode = () if case.name == "--version" else ("--format", "json")
    return lambda number: (*COMMAND, *case.argv(number), *json_mode)


def report(rows: Sequence[Row]) -> str:
    lines = [f"{'todos':>8}  {'command':<22} {'ms':>7} {'Y ms':>7} {'ratio':>7} {'budget':>7}"]
    for todos, case, timing in rows:
        budget = Row(todos, case, timing).budget
        mark = "" if timing.ratio <= budget else "  over"
        lines.append(
            f"{todos:>8,}  {case.name:<22} {timing.milliseconds:>7.1f} {timing.yardstick_ms:>7.1f} "
            f"{timing.ratio:>7.2f} {budget:>7.2f}{mark}"
        )
    return "\n".join(lines)


def save(rows: Sequence[Row]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "commands.json"
    measured = [
        {"todos": row.todos, "command": row.case.name, "budget": row.budget, **row.timing._asdict()} for row in rows
    ]
    path.write_text(json.dumps({"machine": machine(), "rows": measured}, indent=2) + "\n", encoding="utf-8")
    return path


def machine() -> dict[str, str]:
    """What the figures were taken on."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "machine": platform.machine(),
    }


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help=f"measure {LARGE:,} todos as well (minutes to seed)")
    parser.add_argument("--rounds", type=int, default=21, help=f"calls a command, at least {FEWEST_ROUNDS}")
    options = parser.parse_args(argv)
    rounds = max(FEWEST_ROUNDS, options.rounds)
    rows = [row for size in (*SIZES, *([LARGE] if options.large else [])) for row in measure(size, rounds)]
    print(report(rows))
    print(f"written to {save(rows)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
