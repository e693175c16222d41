"""Claim throughput of resident workers against the smallest possible claim: part of `make bench`.

Each measurement alternates with its yardstick in short slices and gives the median of their ratios, since
machines are noisy. `synchronous` stays FULL, as in the product.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.commands import RESULTS, machine
from benchmarks.raw import raw_seconds
from benchmarks.seeding import Lab
from benchmarks.workers import Crew, Order, Run, crew, resident, work

PROCESSES = (1, 2, 4, 8, 16)
ROUNDS = 15  # below this the median of a noisy machine says little
SLICE = 160  # claims between two yardsticks, over all processes
PAIRS = 10_000
CROWD, CROWD_SECONDS, CROWD_TODOS = 8, 3.0, 20_000
SMALL, LARGE, HUGE = 1_000, 100_000, 1_000_000


class Row(NamedTuple):
    """One measurement against its budget."""

    name: str
    measured: float
    budget: float
    unit: str
    at_least: bool
    note: str

    @property
    def holds(self) -> bool:
        return self.measured >= self.budget if self.at_least else self.measured <= self.budget


def claims_beside_raw(members: Crew, rounds: int) -> Iterator[Row]:
    """claim-next whole, with 1 to 16 processes."""
    with project() as lab:
        lab.add_ready((SLICE * rounds + 2 * max(PROCESSES)) * len(PROCESSES))
        for size in PROCESSES:
            order = Order(str(lab.root), SLICE // size)
            members.together(order._replace(claims=1), size)
            slices = [(raw_seconds(lab.root, SLICE), members.together(order, size)) for _ in range(rounds)]
            rates = [_rate(runs) for _, runs in slices]
            yield Row(
                f"claim-next, {size} processes",
                statistics.median(raw * rate for (raw, _), rate in zip(slices, rates, strict=True)),
                0.45,
                "x raw",
                at_least=True,
                note=f"{statistics.median(rates):,.0f}/s, {_faults([run for _, runs in slices for run in runs])}",
            )


def pairs_beside_raw(rounds: int) -> Row:
    """Claim and complete a graph of 10,000 todos with two edges each, by one process, to its end."""
    with project() as lab:
        lab.grow(PAIRS)
        with resident(lab.root) as opened:
            order = Order(str(lab.root), PAIRS // (2 * rounds), completes=True)
            slices = []
            while (run := work(opened, order)).taken:
                slices.append((raw_seconds(lab.root, SLICE, pairs=True), run))
    done = sum(len(run.taken) for _, run in slices)
    ratios = [raw / statistics.fmean(run.seconds) for raw, run in slices]
    pace = 1 / statistics.median(second for _, run in slices for second in run.seconds)
    note = f"{pace:,.0f} pairs/s, {done:,} of {PAIRS:,} done, {_faults([run for _, run in slices])}"
    return Row("claim + complete of a graph", statistics.median(ratios), 0.4, "x raw", at_least=True, note=note)


def growth(sizes: Sequence[int], rounds: int) -> Iterator[Row]:
    """What a claim costs more where many todos stand before the ready ones, and all of them are blocked."""
    with project() as small:
        small.add_blocked_first(SMALL, ready=SLICE * (rounds + 1) * len(sizes))
        for size in sizes:
            with project() as large:
                large.add_blocked_first(size, ready=SLICE * (rounds + 1))
                yield _growth_row(small, large, size, rounds)


def _growth_row(small: Lab, large: Lab, size: int, rounds: int) -> Row:
    with resident(small.root) as near, resident(large.root) as far:
        order = Order("", SLICE)
        for opened in (near, far):
            work(opened, order)  # warm
        pairs = [(_each(work(near, order)), _each(work(far, order))) for _ in range(rounds)]
    note = f"{statistics.median(far for _, far in pairs) * 1e6:,.0f} µs a claim"
    ratio = statistics.median(far / near for near, far in pairs)
    return Row(f"growth, {SMALL:,} to {size:,} todos", ratio, 1.8, "x", at_least=False, note=note)


def crowd(members: Crew) -> Iterator[Row]:
    """Eight processes for some seconds: nobody waits for long, and each gets its share."""
    with project() as lab:
        lab.add_ready(CROWD_TODOS)
        alone = raw_seconds(lab.root, SLICE)
        runs = members.together(Order(str(lab.root), CROWD_TODOS, seconds=CROWD_SECONDS), CROWD)
    worst = max(second for run in runs for second in run.seconds)
    note = f"worst wait {worst * 1000:.0f} ms, {_faults(runs)}"
    yield Row(f"worst wait, {CROWD} processes", worst / (alone * CROWD), 50, "x 8 commits", at_least=False, note=note)
    shares = [len(run.taken) for run in runs]
    mean = statistics.fmean(shares)
    note = f"{min(shares)} to {max(shares)} claims"
    yield Row("smallest share", min(shares) / mean, 0.8, "x mean", at_least=True, note=note)
    yield Row("largest share", max(shares) / mean, 1.2, "x mean", at_least=False, note=note)


def _rate(runs: Sequence[Run]) -> float:
    """Claims a second of all processes together."""
    elapsed = max(run.end for run in runs) - min(run.begin for run in runs)
    return sum(len(run.taken) for run in runs) / elapsed


def _each(run: Run) -> float:
    return statistics.median(run.seconds)


def _faults(runs: Sequence[Run]) -> str:
    """Todos that two got, and refusals that a caller saw; both must be none."""
    taken = Counter(todo_id for run in runs for todo_id in run.taken)
    refusals: Counter[str] = sum((run.refusals for run in runs), Counter())
    doubles = sum(count - 1 for count in taken.values())
    return f"{doubles} duplicates, {refusals.total()} refusals"


@contextmanager
def project() -> Iterator[Lab]:
    """A new project beside which the yardstick writes, too."""
    with tempfile.TemporaryDirectory(prefix="loopx-bench-") as folder:
        yield Lab.empty(Path(folder))


def report(rows: Sequence[Row]) -> str:
    lines = [f"{'what':<32} {'measured':>9} {'budget':>7}  unit"]
    for row in rows:
        mark = "" if row.holds else "  over"
        lines.append(f"{row.name:<32} {row.measured:>9.2f} {row.budget:>7.2f}  {row.unit:<12}{row.note}{mark}")
    return "\n".join(lines)


def save(rows: Sequence[Row]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "claims.json"
    measured = [{**row._asdict(), "holds": row.holds} for row in rows]
    path.write_text(json.dumps({"machine": machine(), "rows": measured}, indent=2) + "\n", encoding="utf-8")
    return path


def measure(sizes: Sequence[int], rounds: int) -> Iterator[Row]:
    with crew(PROCESSES) as members:
        yield from claims_beside_raw(members, rounds)
        yield from crowd(members)
    yield pairs_beside_raw(rounds)
    yield from growth(sizes, rounds)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help=f"growth up to {HUGE:,} todos as well (minutes to seed)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"slices a measurement, at least {ROUNDS}")
    options = parser.parse_args(argv)
    sizes = (LARGE, HUGE) if options.large else (LARGE,)
    rows = list(measure(sizes, max(ROUNDS, options.rounds)))
    print(report(rows))
    print(f"written to {save(rows)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
