"""Encoding of streams: a code page, a closed pipe or a full disk behind a stream breaks no call (hardening)."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import COMMAND, clean_environment
from tests.support.project import make_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = "ünïcødé 😀 العربية"
CLOSED_PIPE, STORAGE = 141, 6
FULL = "/dev/full"

Answer = subprocess.CompletedProcess[bytes]

needs_full = pytest.mark.skipif(not os.path.exists(FULL), reason="the system has no device that is always full")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_state(tmp_path)
    assert ask(tmp_path, "todo", "add", "--text", TEXT).returncode == 0
    return tmp_path


def ask(root: Path, *argv: str, **how: object) -> Answer:
    how.setdefault("env", clean_environment())
    how.setdefault("stdout", subprocess.PIPE)
    how.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([COMMAND, *argv], cwd=root, timeout=60, stdin=subprocess.DEVNULL, **how)  # type: ignore[call-overload,no-any-return]


def without(*fds: int) -> Callable[[], None]:
    """Closes these in the new process before the command begins."""

    def close() -> None:
        for fd in fds:
            os.close(fd)

    return close


def todo_count(root: Path) -> int:
    return int(json.loads(ask(root, "--format", "json", "todo", "list").stdout)["total"])


LISTED = (("todo", "list"), ("--format", "json", "todo", "list"))
MISSED = (("todo", "show", "todo_x"), ("--format", "json", "todo", "show", "todo_x"))


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "utf-16"},
        {"LANG": "xx_YY.nonsense"},
    ],
    ids=str,
)
def test_no_code_page_changes_an_answer(root: Path, environment: dict[str, str]) -> None:
    shown = ask(root, "--format", "json", "todo", "list", env=clean_environment(environment))
    assert json.loads(shown.stdout.decode("utf-8"))["todos"][0]["text"] == TEXT
    read = ask(root, "todo", "list", env=clean_environment(environment))
    assert TEXT in read.stdout.decode("utf-8")
    assert (shown.stderr, read.stderr) == (b"", b"")


@pytest.mark.parametrize("argv", [*LISTED, MISSED[1], ("--help",), ("todo", "--help")], ids=" ".join)
def test_a_closed_pipe_ends_a_call_quietly(root: Path, argv: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe:
        answer = ask(root, *argv, stdout=pipe)
    assert (answer.returncode, answer.stderr) == (CLOSED_PIPE, b"")


@needs_full
@pytest.mark.parametrize("argv", [*LISTED, MISSED[1], ("--help",), ("--version",)], ids=" ".join)
def test_an_output_that_is_full_is_a_storage_fault_and_no_traceback(root: Path, argv: tuple[str, ...]) -> None:
    with open(FULL, "wb") as full:
        answer = ask(root, *argv, stdout=full)
    assert answer.returncode == STORAGE
    assert b"Traceback" not in answer.stderr
    assert b"standard output" in answer.stderr


@needs_full
def test_a_write_whose_answer_is_lost_has_still_happened_and_a_retry_gets_it(root: Path) -> None:
    argv = ("--format", "json", "todo", "add", "--text", "x", "--operation-id", "op-1")
    with open(FULL, "wb") as full:
        assert ask(root, *argv, stdout=full).returncode == STORAGE
    assert json.loads(ask(root, *argv).stdout)["receipt"]["replayed"] is True
    assert todo_count(root) == 2


@needs_full
@pytest.mark.parametrize(("argv", "code"), [(MISSED[0], 7), (LISTED[0], 0), (LISTED[1], 0)], ids=str)
def test_a_full_error_stream_changes_no_exit_code(root: Path, argv: tuple[str, ...], code: int) -> None:
    with open(FULL, "wb") as full:
        assert ask(root, *argv, stderr=full).returncode == code


@pytest.mark.parametrize("argv", [*LISTED, MISSED[1], ("--version",)], ids=" ".join)
def test_a_call_without_an_output_says_so_on_the_error_stream(root: Path, argv: tuple[str, ...]) -> None:
    answer = ask(root, *argv, stdout=None, preexec_fn=without(1))
    assert answer.returncode == STORAGE
    assert b"Traceback" not in answer.stderr
    assert b"standard output" in answer.stderr


@pytest.mark.parametrize(("argv", "code"), [(MISSED[0], 7), (LISTED[0], 0), (LISTED[1], 0)], ids=str)
def test_a_call_without_an_error_stream_goes_on(root: Path, argv: tuple[str, ...], code: int) -> None:
    answer = ask(root, *argv, stderr=None, preexec_fn=without(2))
    assert answer.returncode == code
    assert (TEXT in answer.stdout.decode()) is (code == 0)


def test_a_call_without_any_stream_ends(root: Path) -> None:
    answer = ask(root, *LISTED[1], stdout=None, stderr=None, preexec_fn=without(0, 1, 2))
    assert answer.returncode == STORAGE


def test_a_call_needs_no_home(root: Path) -> None:
    answer = ask(root, "--format", "json", "todo", "list", env={"PATH": os.environ["PATH"]})
    assert json.loads(answer.stdout)["total"] == 1


def test_a_deleted_folder_is_said_and_a_named_project_works_from_there(root: Path) -> None:
    script = f'mkdir here && cd here && rmdir ../here && {COMMAND} --format json todo list "$@"'
    lost, found = (
        subprocess.run(["sh", "-c", script, "sh", *argv], cwd=root, capture_output=True, timeout=60, check=False)
        for argv in ((), ("--project", str(root)))
    )
    assert json.loads(lost.stdout)["error"]["code"] == "project_not_found"
    assert json.loads(found.stdout)["total"] == 1
