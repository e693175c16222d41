"""Whole-process times as ratios: machines are noisy, so a yardstick runs before every measured call."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

# A Python process that has loaded what any command needs. Named by path: a shim would cost more than it.
YARDSTICK = (sys.executable, "-c", "import click, sqlite3, json")


class Timing(NamedTuple):
    milliseconds: float  # median of the measured calls
    yardstick_ms: float  # median of the yardsticks beside them
    ratio: float  # median of the paired ratios


def time_beside_yardstick(argv_of: Callable[[int], Sequence[str]], *, cwd: Path, rounds: int) -> Timing:
    """Run `argv_of(0)`, `argv_of(1)`, … each after a yardstick; a call that fails ends the measurement."""
    pairs = [(_elapsed_ms(YARDSTICK, cwd), _elapsed_ms(argv_of(number), cwd)) for number in range(rounds)]
    return Timing(
        milliseconds=statistics.median(measured for _, measured in pairs),
        yardstick_ms=statistics.median(bare for bare, _ in pairs),
        ratio=statistics.median(measured / bare for bare, measured in pairs),
    )


def _elapsed_ms(argv: Sequence[str], cwd: Path) -> float:
    begin = time.perf_counter()
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    elapsed = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(argv)}\nexit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
    return elapsed * 1000
