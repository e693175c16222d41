"""The `shell` tool: one command line in the workspace, bounded in time and output, with nothing left behind."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loopx.app.toolset.schema import strict_object, text_of
from loopx.app.toolset.tool import Tool
from loopx.core.errors import ToolDeniedError
from loopx.core.instant import SECOND, Duration
from loopx.settings import ROLES, without_identity
from loopx.team.chat.settings import API_KEY
from loopx.team.command import identity_of
from loopx.team.process import Program, run_program
from loopx.team.tasks import ended

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.app.mutation import Document
    from loopx.app.toolset.tool import Arguments, ToolContext
    from loopx.team.idle import AsyncSleeper
    from loopx.team.runner import Assignment

LONGEST_COMMAND = 8_000  # characters; a longer one is a script, for a file
DEFAULT_SECONDS = 120
MOST_SECONDS = 1_800
MOST_OUTPUT = 16 * 1024 * 1024  # bytes on the disk before the command is stopped
HEAD_BYTES = 4_000  # shown to the model: how it began …
TAIL_BYTES = 12_000  # … and how it ended
_GRACE: Duration = 2 * SECOND


def _misplaced(_context: ToolContext, _arguments: Arguments) -> Document:
    """The definition's own handler: a shell needs the event loop, so the guard runs `Shell` in its place."""
    raise ToolDeniedError("the shell is not wired to a run", hint="Run it through a chat worker.")


SHELL = Tool(
    "shell",
    "Run a command line in the workspace; shows how its output began and ended.",
    strict_object(
        {
            "command": text_of("For /bin/sh.", LONGEST_COMMAND),
            "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": MOST_SECONDS},
        },
        ("command",),
    ),
    ROLES,
    _misplaced,
    writes=True,
    starts_work=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Runs command lines for one assignment, under its identity and without the model's key."""

    assignment: Assignment
    environment: Mapping[str, str]
    sleeper: AsyncSleeper

    async def run(self, arguments: Arguments) -> Document:
        """How the command ended and what it wrote on both streams; see `run_program` for what it leaves behind."""
        seconds = arguments.get("timeout_seconds", DEFAULT_SECONDS)
        stop = asyncio.Event()
        late = asyncio.ensure_future(self._late(seconds * SECOND, stop))
        with tempfile.TemporaryDirectory(prefix="loopx-shell-") as folder:
            log = os.path.join(folder, "output")
            try:
                done = await run_program(self._program(arguments["command"], log), stop)
            finally:
                await ended([late])
            shown, size = _shown(log)
        return {
            "exit_code": done.exit_code,
            "timed_out": done.was_cancelled,
            "wrote_too_much": done.wrote_too_much,
            "output": shown,
            "output_bytes": size,
        }

    async def _late(self, limit: Duration, stop: asyncio.Event) -> None:
        await self.sleeper.sleep(limit)
        stop.set()

    def _program(self, command: str, log: str) -> Program:
        return Program(
            argv=shell_argv(command),
            folder=self.assignment.folder,
            environment={**_passed_on(self.environment), **identity_of(self.assignment)},
            words="",
            log=log,
            grace=_GRACE,
            most_output=MOST_OUTPUT,
        )


def shell_argv(command: str) -> tuple[str, ...]:
    """The words that run the line in the system's shell."""
    if sys.platform == "win32":
        return ("cmd", "/d", "/c", command)
    return ("/bin/sh", "-c", command)


def _passed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without the model's key, and without what another identity could be taken from."""
    return {name: value for name, value in without_identity(environment).items() if name != API_KEY}


def _shown(log: str) -> tuple[str, int]:
    """The start and the end of the output, and how many bytes there were."""
    size = os.path.getsize(log)
    with open(log, "rb") as file:
        if size <= HEAD_BYTES + TAIL_BYTES:
            return file.read().decode("utf-8", "replace"), size
        head = file.read(HEAD_BYTES)
        file.seek(size - TAIL_BYTES)
        tail = file.read()
    left_out = f"\n[… {size - HEAD_BYTES - TAIL_BYTES} bytes left out …]\n"
    return head.decode("utf-8", "replace") + left_out + tail.decode("utf-8", "replace"), size
