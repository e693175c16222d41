"""Stands between a worker and its program, so that the program goes when the worker does, even by SIGKILL.

Run as a script of its own: `keeper.py LIFELINE GRACE_MS PROGRAM …`. The worker holds the other end of the
lifeline. When that end closes, the whole process group is asked to end and killed after the grace. Otherwise this
ends as the program ends. It imports nothing of ours and as little as it can: it is started for every run.
"""

from __future__ import annotations

import os
import select
import signal
import sys

_CANNOT_START = 127  # as a shell says it
_PYTHONS_OWN = (signal.SIGPIPE, signal.SIGXFSZ)  # ignored by Python, and by what it starts if nothing is done


def main(lifeline: int, grace_ms: int, argv: list[str]) -> None:
    """Start the program, and see to its end or to that of the worker."""
    os.set_inheritable(lifeline, False)  # noqa: FBT003 - its name says what
    died, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _heard)  # a handler, unlike ignoring, is not handed on to the program
    try:
        program = os.posix_spawnp(argv[0], argv, os.environ, setsigdef=_PYTHONS_OWN)
    except OSError as exc:
        os.write(2, f"{argv[0]}: {exc.strerror}\n".encode())
        os._exit(_CANNOT_START)
    while True:
        ready, _, _ = select.select([lifeline, died], [], [])
        if died in ready:
            os.read(died, 4096)
            _end_as(program)
        if lifeline in ready:
            os.killpg(0, signal.SIGTERM)
            _wait(program, died, grace_ms / 1000)
            os.killpg(0, signal.SIGKILL)


def _heard(_number: int, _frame: object) -> None:
    """The wakeup descriptor has told it."""


def _end_as(program: int) -> None:
    """End in the way in which the program has ended; come back where it still runs."""
    over, status = os.waitpid(program, os.WNOHANG)
    if over == 0:
        return
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _wait(program: int, died: int, seconds: float) -> None:
    """Until the program is over, at most that long."""
    while os.waitpid(program, os.WNOHANG)[0] == 0:
        if not select.select([died], [], [], seconds)[0]:
            return
        os.read(died, 4096)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
