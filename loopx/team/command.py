"""The command runner: any program, with its message on standard input and its identity in the environment (S2.3)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from loopx.core.instant import SECOND, Duration
from loopx.core.secret import masked
from loopx.settings import FIXED, without_identity
from loopx.team.place import log_path
from loopx.team.process import MOST_OUTPUT, Ended, Program, run_program
from loopx.team.runner import Assignment, RunResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.team.recipe import Recipe

_TAIL_BYTES = 4_000  # the end of the output: an agent's last words, or what failed


class CommandRunner:
    """Runs one command for each assignment. No shell takes part that was not asked for."""

    def __init__(
        self,
        recipe: Recipe,
        *,
        environment: Mapping[str, str],
        folder: str,
        grace: Duration = 10 * SECOND,
        most_output: int = MOST_OUTPUT,
    ) -> None:
        self._recipe, self._folder, self._grace, self._most = recipe, folder, grace, most_output
        self._environment = outer_environment(environment)

    @property
    def name(self) -> str:
        return os.path.basename(self._recipe.argv[0])

    async def run(self, assignment: Assignment) -> RunResult:
        """Run it to its end; see `Runner`. UsageError where it cannot be started, storage errors at its log."""
        log = log_path(self._folder, f"{assignment.todo_id or 'mail'}-{assignment.run_id}")
        program = Program(
            argv=self._recipe.argv,
            folder=assignment.folder,
            environment={**self._environment, **identity_of(assignment)},
            words=self._recipe.words(
                assignment.message, agent=assignment.agent_id, role=assignment.role, goal=assignment.goal_id
            ),
            log=log,
            grace=self._grace,
            most_output=self._most,
        )
        ended = await run_program(program, assignment.cancel)
        facts: dict[str, object] = {"exit_code": ended.exit_code, "log": os.path.basename(log)}
        return RunResult(
            succeeded=_is_well(ended), text=_last_words(log), summary=_told(ended, self._most), facts=facts
        )


def outer_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without our settings, but for where the state is. The `loopx` of here is last on its PATH."""
    kept = without_identity(environment)
    path = [part for part in (kept.get("PATH") or os.defpath).split(os.pathsep) if part]
    return kept | {"PATH": os.pathsep.join((*path, os.path.dirname(sys.executable)))}


def identity_of(assignment: Assignment) -> dict[str, str]:
    """What the program and every `loopx` that it starts are told: who they are, fixed, and what they work on."""
    told = {
        "LOOPX_AGENT_ID": assignment.agent_id,
        "LOOPX_IDENTITY": FIXED,
        "LOOPX_ROLE": assignment.role,
        "LOOPX_PROJECT": assignment.state_root,
        "LOOPX_GOAL_ID": assignment.goal_id,
        "LOOPX_RUN_ID": assignment.run_id,
        "LOOPX_TODO_ID": assignment.todo_id,
        "LOOPX_CLAIM_TOKEN": assignment.claim_token,
        "LOOPX_LEASE_ID": assignment.lease_id,
        "LOOPX_MESSAGE_ID": assignment.message_id,
        "LOOPX_LEAD": assignment.lead,
    }
    return {name: value for name, value in told.items() if value is not None}


def _is_well(ended: Ended) -> bool:
    return ended.exit_code == 0 and not ended.was_cancelled and not ended.wrote_too_much


def _told(ended: Ended, most: int) -> str:
    if ended.wrote_too_much:
        return f"stopped: it wrote more than {most} bytes"
    how = f"signal {-ended.exit_code}" if ended.exit_code < 0 else f"exit {ended.exit_code}"
    return f"stopped ({how})" if ended.was_cancelled else how


def _last_words(log: str) -> str:
    """The end of the output without credentials and local paths."""
    with suppress(OSError), open(log, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
        text = file.read(_TAIL_BYTES).decode("utf-8", "replace").replace("\x00", "")
        return masked(text).strip()
    return ""
