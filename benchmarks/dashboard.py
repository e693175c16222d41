"""What a page of the dashboard costs at 1,000 and at 10,000 todos: `make bench`.

Both sizes are served at once and asked in turn, so that a noisy moment meets both; the budget is their ratio.
"""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.seeding import Lab

SMALL, LARGE = 1_000, 10_000
BUDGET = 2.0  # times the smaller one
ROUNDS = 15
PAGES = ("/", "/board", "/graph", "/todos", "/goal", "/inbox", "/events")
COMMAND = (sys.executable, str(Path(sys.executable).with_name("loopx")), "dashboard", "--format", "json")


class Loaded(NamedTuple):
    milliseconds: float
    kilobytes: float


class Visitor:
    """One browser's worth of a dashboard: entered once, on a connection that stays open."""

    def __init__(self, url: str) -> None:
        door = urlsplit(url)
        self._connection = http.client.HTTPConnection(door.netloc)
        self._cookie = ""
        self._cookie = self._get(f"{door.path}?{door.query}")[0].split(";")[0]

    def load(self, path: str) -> Loaded:
        begin = time.perf_counter()
        _, body = self._get(path)
        return Loaded((time.perf_counter() - begin) * 1000, len(body) / 1000)

    def close(self) -> None:
        self._connection.close()

    def _get(self, path: str) -> tuple[str, bytes]:
        self._connection.request("GET", path, headers={"cookie": self._cookie})
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{path}: {response.status}")
        return response.getheader("set-cookie") or "", body


@contextmanager
def serving(root: Path) -> Iterator[Visitor]:
    """A visitor of a dashboard on that project, until the end."""
    process = subprocess.Popen(COMMAND, cwd=root, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        visitor = Visitor(json.loads(process.stdout.readline())["url"])
        yield visitor
        visitor.close()
    finally:
        process.terminate()
        process.wait(30)


def main() -> int:
    print(f"pages of the dashboard; medians of {ROUNDS} rounds, the sizes in turn")
    print(f"{'page':<10} {'ms at 1,000':>12} {'ms at 10,000':>13} {'ratio':>7} {'budget':>7} {'kB at 10,000':>13}")
    with tempfile.TemporaryDirectory(prefix="loopx-bench-") as folder, ExitStack() as stack:
        roots = [seeded(Path(folder) / str(size), size) for size in (SMALL, LARGE)]
        visitors = [stack.enter_context(serving(root)) for root in roots]
        for path in PAGES:
            print(row(path, *visitors))
    return 0


def seeded(root: Path, size: int) -> Path:
    root.mkdir()
    return Lab.seeded(root, size).root


def row(path: str, small: Visitor, large: Visitor) -> str:
    """The figures of a page, once both have drawn it."""
    small.load(path)
    large.load(path)
    pairs = [(small.load(path), large.load(path)) for _ in range(ROUNDS)]
    at_small = statistics.median(pair[0].milliseconds for pair in pairs)
    at_large = statistics.median(pair[1].milliseconds for pair in pairs)
    ratio = statistics.median(pair[1].milliseconds / pair[0].milliseconds for pair in pairs)
    mark = "" if ratio <= BUDGET else "  over"
    size = pairs[0][1].kilobytes
    return f"{path:<10} {at_small:>12.1f} {at_large:>13.1f} {ratio:>7.2f} {BUDGET:>7.1f} {size:>13.0f}{mark}"


if __name__ == "__main__":
    sys.exit(main())
