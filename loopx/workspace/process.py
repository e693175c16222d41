"""Running a program to its end: without a shell, with a deadline, and with bounded memory for its output."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from hashlib import sha256
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING

from loopx.core.errors import ValidationFailedError
from loopx.core.instant import SECOND, Duration
from loopx.core.value import Value
from loopx.system import monotonic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

_CHUNK_BYTES = 65_536  # what a pipe holds
_TAIL_BYTES = 2_000  # the end of an output tells what failed


class Finished(Value):
    """How a program ended: `exit_code` is None where its time ran out, negative after a signal.

    `tail` is the end of what it wrote on both streams; digest and size are of all of it.
    """

    exit_code: int | None
    duration: Duration
    output_sha256: str
    output_bytes: int
    tail: str


def run_to_end(argv: Sequence[str], folder: str, timeout: Duration) -> Finished:
    """Run the program in the folder until it has ended and nothing holds its output any more.

    At the timeout it is killed together with all that it has started. ValidationFailedError where it
    cannot be started.
    """
    began = monotonic()
    output = _Output()
    process = _start(argv, folder)
    try:
        exit_code = _follow(process, output, began + timeout / SECOND)
    finally:
        _end(process)
    return output.finished(exit_code, int((monotonic() - began) * SECOND))


class _Output:
    """What was written so far: counted and digested whole, kept only at its end."""

    def __init__(self) -> None:
        self._digest = sha256()
        self._size = 0
        self._tail = b""

    def take(self, data: bytes) -> None:
        self._digest.update(data)
        self._size += len(data)
        self._tail = (self._tail + data)[-_TAIL_BYTES:]

    def finished(self, exit_code: int | None, duration: Duration) -> Finished:
        tail = self._tail.decode("utf-8", "replace")
        return Finished(exit_code, duration, self._digest.hexdigest(), self._size, tail)


def _start(argv: Sequence[str], folder: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(argv),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a group of its own, which can be killed whole
        )
    except (OSError, ValueError) as exc:
        raise ValidationFailedError(
            f"{argv[0]!r} cannot be started: {exc}",
            hint="Install it, or change the command with `loopx todo update`.",
            argv=list(argv),
            exit_code=None,
        ) from exc


def _follow(process: subprocess.Popen[bytes], output: _Output, end: float) -> int | None:
    """Take in the output until it ends and the program with it; None where `end` comes first."""
    assert process.stdout is not None
    if not _drain(process.stdout, output, end):
        return None
    try:
        return process.wait(timeout=max(0.0, end - monotonic()))
    except subprocess.TimeoutExpired:
        return None


def _drain(stream: IO[bytes], output: _Output, end: float) -> bool:
    with DefaultSelector() as selector:
        selector.register(stream, EVENT_READ)
        while (left := end - monotonic()) > 0:
            if selector.select(left):
                data = os.read(stream.fileno(), _CHUNK_BYTES)
                if not data:
                    return True
                output.take(data)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing behind. The group still has its number, since its first process was not waited for."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
