"""Running a program beside the event loop: its own process group, its output in a file, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from loopx.core.errors import UsageError
from loopx.core.instant import MILLISECOND, SECOND, Duration
from loopx.files import storage_error
from loopx.team.idle import LoopSleeper
from loopx.team.tasks import race

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_OUTPUT = 64 * 1024 * 1024  # bytes of one run; a program that writes without end must not fill the disk
_KEEPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keeper.py")
_GLANCE: Duration = SECOND  # how often the size of the output is looked at
_ASK: Duration = 50 * MILLISECOND  # how often the end is asked for where the system cannot tell by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What to run and where; `words` is its standard input, `log` takes both of its output streams."""

    argv: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]
    words: str
    log: str
    grace: Duration
    most_output: int = MOST_OUTPUT


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How it ended: negative after a signal. `wrote_too_much` and `was_cancelled` say who ended it."""

    exit_code: int
    was_cancelled: bool = False
    wrote_too_much: bool = False


async def run_program(program: Program, cancel: asyncio.Event) -> Ended:
    """Run it to its end. Once `cancel` is set its whole process group is asked to end, and killed after the grace.

    However this returns or is cancelled, no process of the group is left. UsageError where it cannot be started;
    storage errors where its log cannot be written.
    """
    kept = _start(program)
    process = kept.process
    try:
        winner = await race(_end_of(process), cancel.wait(), _flood(program))
        if winner > 0:
            _signal(process, signal.SIGTERM)
            await race(_end_of(process), LoopSleeper().sleep(program.grace))
    finally:
        exit_code = _leave_nothing(kept)
    return Ended(exit_code=exit_code, was_cancelled=winner == 1, wrote_too_much=winner == 2)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The program under its keeper, and the end of the lifeline that goes when this process does."""

    process: subprocess.Popen[bytes]
    lifeline: int


def _start(program: Program) -> _Kept:
    _refuse_missing(program)
    try:
        log = open(program.log, "wb", opener=_private)  # noqa: SIM115 - closed below, once the program has it
    except OSError as exc:
        raise storage_error(exc, program.log) from exc
    with log, _spooled(program.words) as words:
        theirs, ours = os.pipe()  # neither is inherited unless it is passed on
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", _KEEPER, str(theirs), str(program.grace // MILLISECOND), *program.argv],
                cwd=program.folder,
                env=dict(program.environment),
                stdin=words,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs,),
                start_new_session=True,  # a group of its own, which can be ended whole
            )
        except (OSError, ValueError) as exc:
            os.close(ours)
            raise UsageError(
                f"{program.argv[0]!r} cannot be started: {exc}", hint="See --exec and the folder."
            ) from exc
        finally:
            os.close(theirs)
    return _Kept(process, ours)


def _refuse_missing(program: Program) -> None:
    """UsageError for a program that is not there, before anything is started."""
    if shutil.which(program.argv[0], path=program.environment.get("PATH")) is None:
        raise UsageError(
            f"there is no program {program.argv[0]!r}", hint="Give --exec a program that is on the PATH, or its path."
        )


def _private(path: str, flags: int) -> int:
    """A new file for its owner alone, since output may hold anything; never one that a link leads to."""
    return os.open(path, flags | os.O_NOFOLLOW, stat.S_IRUSR | stat.S_IWUSR)


def _spooled(words: str) -> IO[bytes]:
    """The words as a file: a program that does not read them holds nobody up."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        file.write(words.encode("utf-8"))
        file.seek(0)
    except OSError as exc:
        file.close()
        raise storage_error(exc, "the words for the program") from exc
    return file


async def _end_of(process: subprocess.Popen[bytes]) -> None:
    """Until its first process is over, which is not waited for yet: so long the group keeps its number."""
    fd = _open_pid(process.pid)
    if fd is None:
        while process.returncode is None and not _is_over(process):
            await LoopSleeper().sleep(_ASK)
        return
    over, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_reader(fd, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(fd)
        os.close(fd)


def _open_pid(pid: int) -> int | None:
    """A descriptor that is readable once the process is over, where the system has such."""
    if sys.platform != "linux":
        return None
    with suppress(OSError):
        return os.pidfd_open(pid)
    return None


def _is_over(process: subprocess.Popen[bytes]) -> bool:
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


async def _flood(program: Program) -> None:
    """Until the program has written more than it may."""
    while True:
        await LoopSleeper().sleep(_GLANCE)
        with suppress(OSError):
            if os.stat(program.log).st_size > program.most_output:
                return


def _leave_nothing(kept: _Kept) -> int:
    """Kill what is left of the group, and only then let go of its number; the exit code of its first process."""
    _signal(kept.process, signal.SIGKILL)
    os.close(kept.lifeline)
    return kept.process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
