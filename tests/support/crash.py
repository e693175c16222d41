"""A command that dies at a failpoint: in a process of its own, at once, as if the power went."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from loopx import failpoint
from loopx.cli.context import Ports
from loopx.cli.root import main
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.core.instant import Instant

DIED = 77  # the exit code of a process that a failpoint has ended
PATIENCE_SECONDS = 60.0

_FORKS = multiprocessing.get_context("forkserver")  # every child begins with the modules loaded and one thread
_FORKS.set_forkserver_preload(["tests.support.crash", "loopx.app.mutation", "loopx.registry.write", "ruamel.yaml"])


def later_ports(now: Instant, *, unfinished: int = 1_000) -> Ports:
    """The same ids and tokens for every run, none of which the prepared state has.

    Files are named by chance while they are unfinished, so that a second try never meets those of the first.
    """
    ids, tokens = SequenceIds(), SequenceTokens()
    for prefix in ("todo", "op", "lease", "run", "state"):
        ids._count[prefix] = 1_000
    ids._count["new"] = unfinished
    tokens._count = 1_000
    return Ports(FakeClock(now), ids, tokens)


def reached(root: Path, argv: Sequence[str], now: Instant) -> list[str]:
    """The failpoints that a call passes, in order; the call must succeed."""
    names: list[str] = []
    with patch.object(failpoint, "reach", names.append):
        assert _run(root, argv, now) == 0, argv
    return names


def dies(root: Path, argv: Sequence[str], now: Instant, place: int) -> int | None:
    """The exit code of a process that makes the call and ends itself at the failpoint of that place."""
    process = _FORKS.Process(target=_die, args=(str(root), list(argv), now, place))
    process.start()
    process.join(PATIENCE_SECONDS)
    assert process.exitcode is not None, "the process hangs"
    return process.exitcode


def is_killed(root: Path, argv: Sequence[str], now: Instant, after_seconds: float) -> None:
    """Make the call in a process that is killed at that instant, wherever it is then, or has ended by itself."""
    process = _FORKS.Process(target=_end, args=(str(root), list(argv), now))
    process.start()
    process.join(after_seconds)
    process.kill()
    process.join(PATIENCE_SECONDS)
    assert process.exitcode is not None, "the process hangs"


def _end(root: str, argv: list[str], now: Instant) -> None:
    os._exit(_run(Path(root), argv, now))


def _die(root: str, argv: list[str], now: Instant, place: int) -> None:
    left = place

    def count(_name: str) -> None:
        nonlocal left
        if left == 0:
            os._exit(DIED)
        left -= 1

    failpoint.reach = count
    os._exit(_run(Path(root), argv, now))


def _run(root: Path, argv: Sequence[str], now: Instant) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LOOPX_")}
    with contextlib.chdir(root), contextlib.redirect_stdout(io.StringIO()):
        return main(["--format", "json", *argv], ports=later_ports(now), environment=environment)
