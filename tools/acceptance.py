"""Hold the installed command against the black-box checks of `../shared/acceptance`.

`tests/acceptance-pending.txt` lists, a line each, the checks that an open issue still owns:
`file::test #issue reason`. The run is green exactly when the checks that fail are the checks
that are listed, so that neither a new failure nor a forgotten line goes unseen.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHECKS = ROOT.parent / "shared" / "acceptance"
PENDING = ROOT / "tests" / "acceptance-pending.txt"
COMMAND = Path(sys.executable).with_name("loopx")

_LINE = re.compile(r"(?P<check>\S+\.py::\S.*?) #(?P<issue>\d+) (?P<reason>\S.*)")


class Verdict(NamedTuple):
    unexpected: list[str]  # failed, and no issue owns it
    settled: list[str]  # listed, and did not fail (or is no longer there)

    @property
    def is_green(self) -> bool:
        return not (self.unexpected or self.settled)


class Outcomes:
    """A pytest plugin that notes what ran and what failed, by `file::test`."""

    def __init__(self) -> None:
        self.ran: set[str] = set()
        self.failed: set[str] = set()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran.add(report.nodeid)
        if report.failed:
            self.failed.add(report.nodeid)


def read_pending(text: str) -> set[str]:
    """The listed checks; every line must be whole, and none may stand twice."""
    listed: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise SystemExit(f"{PENDING.name}:{number}: not `file::test #issue reason`: {line!r}")
        if match["check"] in listed:
            raise SystemExit(f"{PENDING.name}:{number}: listed twice: {match['check']}")
        listed.add(match["check"])
    return listed


def judge(failed: set[str], listed: set[str]) -> Verdict:
    return Verdict(unexpected=sorted(failed - listed), settled=sorted(listed - failed))


def run_checks() -> Outcomes:
    outcomes = Outcomes()
    os.environ["LOOPX"] = shlex.quote(str(COMMAND))
    options = [
        "--rootdir",
        str(CHECKS),
        "-c",
        os.devnull,
        "-p",
        "no:cacheprovider",
        "-n",
        "2",
        "-q",
        "--tb=short",
    ]
    pytest.main([*options, str(CHECKS)], plugins=[outcomes])
    return outcomes


def main() -> int:
    if not CHECKS.is_dir():
        print("no ../shared/acceptance beside this checkout: nothing to hold the command against")
        return 0
    listed = read_pending(PENDING.read_text(encoding="utf-8"))
    outcomes = run_checks()
    verdict = judge(outcomes.failed, listed)
    for check in verdict.unexpected:
        print(f"RED  fails and no issue owns it: {check}")
    for check in verdict.settled:
        print(f"RED  listed as pending and does not fail; take the line out: {check}")
    print(f"{len(outcomes.ran)} checks, {len(outcomes.failed)} failed, {len(listed)} listed as pending")
    return 0 if verdict.is_green and outcomes.ran else 1


if __name__ == "__main__":
    raise SystemExit(main())
