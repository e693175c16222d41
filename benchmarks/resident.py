"""What a call costs on a connection that stays open (Python API, MCP): `make bench`.

Machines are noisy, so a yardstick process runs before every batch of calls and the figures are ratios. The
budget of 1 ms was set where the yardstick takes 46 ms, which is 0.022 of it.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.seeding import AGENT, GOAL, Lab
from benchmarks.timing import YARDSTICK
from loopx.api import ControlPlane

SIZE = 1_000
BATCHES = 15
CALLS = 20  # a batch; the median of it counts
REFERENCE_MS = 46.0  # the yardstick where the budgets were taken


class Row(NamedTuple):
    name: str
    budget_ms: float  # where the yardstick takes REFERENCE_MS
    median_ms: float
    ratio: float  # to the yardstick, median of the batches

    @property
    def is_over(self) -> bool:
        return self.ratio > self.budget_ms / REFERENCE_MS


def main() -> int:
    print(f"{SIZE:,} todos; the median of {BATCHES} batches, each beside a yardstick process")
    print(f"{'call on an open connection':<28} {'p50 ms':>8} {'ratio':>8} {'budget':>8}")
    with tempfile.TemporaryDirectory(prefix="loopx-bench-") as folder:
        for row in measure(Lab.seeded(Path(folder), SIZE)):
            budget, mark = row.budget_ms / REFERENCE_MS, "  over" if row.is_over else ""
            print(f"{row.name:<28} {row.median_ms:>8.3f} {row.ratio:>8.4f} {budget:>8.4f}{mark}")
    return 0


def measure(lab: Lab) -> list[Row]:
    """The hot calls of a resident edge on that project."""
    fresh = iter([lab.fresh() for _ in range(BATCHES * CALLS)])
    shown = lab.fresh()
    with ControlPlane(lab.root, agent_id=AGENT, goal_id=GOAL, environment={}) as plane:
        return [
            _row("should_run", 1.0, plane.should_run),
            _row("todos.show", 1.0, lambda: plane.todos.show(shown)),
            _row("todos.claim", 2.0, lambda: plane.todos.claim(next(fresh))),
        ]


def _row(name: str, budget_ms: float, call: Callable[[], object]) -> Row:
    pairs = [(_yardstick_ms(), statistics.median(_elapsed_ms(call) for _ in range(CALLS))) for _ in range(BATCHES)]
    return Row(
        name,
        budget_ms,
        statistics.median(measured for _, measured in pairs),
        statistics.median(measured / yardstick for yardstick, measured in pairs),
    )


def _elapsed_ms(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1000


def _yardstick_ms() -> float:
    return _elapsed_ms(lambda: subprocess.run(YARDSTICK, check=True, stdin=subprocess.DEVNULL, capture_output=True))


if __name__ == "__main__":
    raise SystemExit(main())
