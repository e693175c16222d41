"""The shell of a chat worker is bounded in time and output, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from loopx.team.chat.shell import HEAD_BYTES, TAIL_BYTES, Shell
from loopx.team.idle import LoopSleeper
from tests.support.chat import KEY, assignment
from tests.support.processes import PATIENCE_SECONDS, is_alive, until, until_async

if TYPE_CHECKING:
    from loopx.core.instant import Duration


class WhenItIsThere:
    """A sleeper that sleeps until a file appears: the time limit of a command that has begun."""

    def __init__(self, sign: Path) -> None:
        self.sign = sign

    async def sleep(self, _duration: Duration) -> None:
        await until_async(lambda: self.sign.exists() and bool(self.sign.read_text().strip()))


def run(root: Path, command: str, *, sleeper: Any = None, environment: dict[str, str] | None = None) -> dict[str, Any]:
    given = {"PATH": "/usr/bin:/bin", **(environment or {})}
    shell = Shell(assignment=assignment(root, todo_id="todo_1"), environment=given, sleeper=sleeper or LoopSleeper())

    async def bounded() -> dict[str, Any]:
        return await asyncio.wait_for(shell.run({"command": command}), PATIENCE_SECONDS)

    return asyncio.run(bounded())


def test_both_streams_and_the_exit_code_are_told(tmp_path: Path) -> None:
    answer = run(tmp_path, "echo out; echo err >&2; exit 7")
    assert answer == {
        "exit_code": 7,
        "timed_out": False,
        "wrote_too_much": False,
        "output": "out\nerr\n",
        "output_bytes": 8,
    }


def test_it_works_in_the_workspace_without_input(tmp_path: Path) -> None:
    assert run(tmp_path, "pwd; cat")["output"] == f"{tmp_path / 'work'}\n"


def test_of_a_long_output_the_start_and_the_end_are_shown(tmp_path: Path) -> None:
    answer = run(tmp_path, "echo first; head -c 100000 /dev/zero | tr '\\0' x; echo; echo last")
    assert answer["output"].startswith("first\n")
    assert answer["output"].endswith("last\n")
    assert "bytes left out" in answer["output"]
    assert answer["output_bytes"] == 100_000 + 12
    assert len(answer["output"]) < HEAD_BYTES + TAIL_BYTES + 100


def test_output_that_is_no_text_is_still_shown(tmp_path: Path) -> None:
    assert run(tmp_path, "printf '\\377a'")["output"] == "\ufffda"


def test_a_command_out_of_time_is_ended_with_all_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "work/pid"
    answer = run(tmp_path, "sleep 600 & echo $! > pid; wait", sleeper=WhenItIsThere(pid))
    assert answer["timed_out"] is True
    until(lambda: not is_alive(int(pid.read_text())))


def test_what_a_command_leaves_in_the_background_is_ended(tmp_path: Path) -> None:
    run(tmp_path, "sleep 600 & echo $! > pid")
    pid = int((tmp_path / "work/pid").read_text())
    until(lambda: not is_alive(pid))


def test_the_identity_is_the_workers_and_the_key_is_not_there(tmp_path: Path) -> None:
    environment = {"OPENAI_API_KEY": KEY, "LOOPX_AGENT_ID": "cy", "LOOPX_ROLE": "lead", "LANG": "C"}
    seen = dict(line.split("=", 1) for line in run(tmp_path, "env", environment=environment)["output"].splitlines())
    assert (seen["LOOPX_AGENT_ID"], seen["LOOPX_IDENTITY"], seen["LOOPX_ROLE"]) == ("bob", "fixed", "teammate")
    assert seen["LANG"] == "C"
    assert "OPENAI_API_KEY" not in seen


@pytest.mark.parametrize("command", ["no-such-program", "(", "kill -9 $$"])
def test_a_command_that_fails_is_an_answer(tmp_path: Path, command: str) -> None:
    assert run(tmp_path, command)["exit_code"] != 0
