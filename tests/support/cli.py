"""Ask the command as a harness does: as a process (`run`), or inside this process for speed (`call`).

Both give the same `Answer`, and both hold its document against the schema that it names.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from tests.support import engine
from tests.support.contracts import check_document, read_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from loopx.cli.context import Ports

COMMAND = str(Path(sys.executable).with_name("loopx"))
TIMEOUT_SECONDS = 60.0  # a command that hangs must fail its test, not the suite


class Answer:
    """What one call gave: exit code, both streams, and in JSON mode the one document."""

    def __init__(self, argv: tuple[str, ...], code: int, out: str, err: str) -> None:
        self.argv, self.code, self.out, self.err = argv, code, out, err

    @cached_property
    def json(self) -> dict[str, Any]:
        try:
            document = read_document(self.out)
            check_document(document)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self}") from None
        return document

    @property
    def error(self) -> dict[str, Any]:
        """The `error` object of a refusal."""
        assert self.json["ok"] is False, self
        error = self.json["error"]
        assert isinstance(error, dict), self
        return error

    def __str__(self) -> str:
        return f"$ loopx {shlex.join(self.argv)}\nexit {self.code}\n{self.out[:3000]}\n{self.err[:3000]}"


class Loopx:
    """The command in one folder; JSON mode unless `text` is asked for.

    `in_process=True` makes `ok` and `refused` use `call`, which saves the start of a process
    and cannot show what only a process shows (signals, closed pipes, races). `ports` (clock, ids,
    tokens) reach `call` alone.
    """

    def __init__(self, root: Path, *, in_process: bool = False, ports: Ports | None = None) -> None:
        self.root = root
        self._in_process = in_process
        self._ports = ports

    def run(
        self,
        *argv: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
    ) -> Answer:
        """One process in JSON mode; `env` adds to an environment without `LOOPX_*`."""
        return _checked(self._process(("--format", "json", *argv), cwd, env, stdin, timeout))

    def text(
        self,
        *argv: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
    ) -> Answer:
        """One process with exactly these arguments; nothing is expected of what it prints."""
        return self._process(argv, cwd, env, stdin, timeout)

    def start(self, *argv: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Running:
        """A process in JSON mode that goes on while the test does something else."""
        full = ("--format", "json", *argv)
        return Running(full, _spawn(full, cwd or self.root, self._placed(env), stdin=subprocess.DEVNULL))

    def call(
        self,
        *argv: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> Answer:
        """The same in JSON mode without a process of its own."""
        from loopx.cli.root import main

        full = ("--format", "json", *argv)
        with _inside(cwd or self.root, self._placed(env), stdin) as (out, err):
            code = main(list(full), ports=self._ports)
        return _checked(Answer(full, code, _written(out), _written(err)))

    def ok(self, *argv: str, **ways: Any) -> dict[str, Any]:
        """The document of a call that must succeed."""
        answer = self._ask(*argv, **ways)
        assert answer.code == 0, answer
        assert answer.json["ok"] is True, answer
        return answer.json

    def refused(self, *argv: str, code: str | None = None, exit_code: int | None = None, **ways: Any) -> Answer:
        """A call that must be refused, by error code and exit code where they are given."""
        answer = self._ask(*argv, **ways)
        assert answer.code not in (0, 1), answer
        assert "Traceback" not in answer.err, answer
        assert code is None or answer.error["code"] == code, answer
        assert exit_code is None or answer.code == exit_code, answer
        return answer

    def _ask(self, *argv: str, **ways: Any) -> Answer:
        return self.call(*argv, **ways) if self._in_process else self.run(*argv, **ways)

    def _process(
        self,
        argv: tuple[str, ...],
        cwd: Path | None,
        env: Mapping[str, str] | None,
        stdin: str | None,
        timeout: float,
    ) -> Answer:
        source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        return Running(argv, _spawn(argv, cwd or self.root, self._placed(env), stdin=source)).answer(stdin, timeout)

    def _placed(self, env: Mapping[str, str] | None) -> dict[str, str]:
        """The environment with the server that the project of this folder is on, where it is on one."""
        return engine.environment_of(self.root) | dict(env or {})


class Running:
    """A command that has been started; `answer` waits for its end."""

    def __init__(self, argv: tuple[str, ...], process: subprocess.Popen[str]) -> None:
        self.argv, self.process = argv, process

    def answer(self, stdin: str | None = None, timeout: float = TIMEOUT_SECONDS) -> Answer:
        with self.process as process:
            try:
                out, err = process.communicate(stdin, timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Answer(self.argv, process.returncode, out, err)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without `LOOPX_*`, and with `extra`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LOOPX_")}
    return kept | dict(extra or {})


def _spawn(argv: tuple[str, ...], cwd: Path, env: Mapping[str, str] | None, *, stdin: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, *argv],
        cwd=cwd,
        env=clean_environment(env),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@contextlib.contextmanager
def _inside(
    cwd: Path, env: Mapping[str, str] | None, stdin: str | None
) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Folder, environment and streams as the command would find them; put back afterwards."""
    out, err = _stream(), _stream()
    with (
        contextlib.chdir(cwd),
        patch.dict(os.environ, clean_environment(env), clear=True),
        patch.object(sys, "stdin", _stream(stdin or "")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        yield out, err


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", newline="", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _checked(answer: Answer) -> Answer:
    """The answer, once its document has satisfied its schema."""
    assert answer.json, answer
    return answer
