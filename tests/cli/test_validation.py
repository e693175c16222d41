"""A todo's own check: it runs last, without a lock, and only its success lets the todo be completed."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any

import pytest

from loopx.core.instant import HOUR
from loopx.workspace.process import run_to_end
from tests.support.cli import Loopx

SAY = "import sys; sys.stdout.write('seen'); sys.exit(0)"


def python(code: str) -> str:
    """The command line of a small program."""
    return shlex.join([sys.executable, "-c", code])


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann", "--agent", "bob")
    return inside


def add(lab: Loopx, command: str, *more: str) -> str:
    argv = ("todo", "add", "--text", "work", "--validation-command", command, *more)
    return str(lab.ok(*argv)["todo"]["todo_id"])


def complete(todo: str, *more: str) -> tuple[str, ...]:
    return ("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "seen", *more)


def validation(lab: Loopx) -> dict[str, Any]:
    """What the event of the only completion says of the check."""
    (event,) = lab.ok("log", "--action", "todo_completed")["events"]
    facts = event["receipt"]["validation"]
    assert isinstance(facts, dict)
    return facts


def is_done(lab: Loopx, todo: str) -> bool:
    return bool(lab.ok("todo", "show", todo)["todo"]["status"] == "done")


def test_a_check_that_passes_is_in_the_event_with_code_time_and_digest(lab: Loopx) -> None:
    todo = add(lab, python(SAY))
    lab.ok(*complete(todo))
    facts = validation(lab)
    assert facts["argv"] == [sys.executable, "-c", SAY]
    assert facts["exit_code"] == 0
    assert facts["output_sha256"] == hashlib.sha256(b"seen").hexdigest()
    assert facts["output_bytes"] == 4
    assert 0 < facts["duration_ms"] < 60_000


def test_a_check_that_fails_completes_nothing_and_shows_the_end_of_its_output(lab: Loopx) -> None:
    todo = add(lab, python("import sys; print('first'); print('no such thing', file=sys.stderr); sys.exit(7)"))
    refusal = lab.refused(*complete(todo), code="validation_failed", exit_code=3)
    details = refusal.error["details"]
    assert (details["exit_code"], details["timed_out"]) == (7, False)
    assert details["output_tail"].endswith("no such thing\n")
    assert not is_done(lab, todo)
    assert lab.ok("log", "--action", "todo_completed")["total"] == 0


def test_the_shown_output_is_bounded_and_the_digest_is_of_all_of_it(lab: Loopx) -> None:
    whole = "ä" * 300_000 + "!"
    code = "import sys; sys.stdout.buffer.write(('ä' * 300_000 + '!').encode()); sys.exit(1)"
    details = lab.refused(*complete(add(lab, python(code))), code="validation_failed").error["details"]
    assert len(details["output_tail"].encode()) <= 2_010
    assert details["output_tail"].endswith("ä!")
    assert details["output_bytes"] == len(whole.encode())
    assert details["output_sha256"] == hashlib.sha256(whole.encode()).hexdigest()


def test_no_shell_reads_the_command(lab: Loopx) -> None:
    code = "import sys; sys.exit(sys.argv[1:] != ['$HOME', '*', ';', 'exit 0'])"
    line = shlex.join([sys.executable, "-c", code, "$HOME", "*", ";", "exit 0"])
    lab.ok(*complete(add(lab, line)))


def test_a_program_that_does_not_exist_is_a_failed_check(lab: Loopx) -> None:
    refusal = lab.refused(*complete(add(lab, "no-such-program-anywhere --now")), code="validation_failed")
    assert "no-such-program-anywhere" in refusal.error["message"]


def test_the_check_runs_in_the_workspace(lab: Loopx, tmp_path: Path) -> None:
    place = tmp_path / "work place"
    place.mkdir()
    (place / "proof").write_text("here")
    todo = add(lab, python("open('proof')"))
    lab.refused(*complete(todo), code="validation_failed")
    lab.refused(*complete(todo, "--workspace", str(tmp_path / "nowhere")), code="usage", exit_code=2)
    lab.ok(*complete(todo, "--workspace", str(place)))


def test_nothing_can_be_typed_into_a_check(lab: Loopx) -> None:
    todo = add(lab, python("import sys; sys.exit(len(sys.stdin.read()))"))
    lab.ok("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "-", stdin="seen")


def test_a_check_that_does_not_end_in_its_time_has_failed(lab: Loopx) -> None:
    todo = add(lab, python("import time; time.sleep(600)"), "--validation-timeout", "100ms")
    refusal = lab.refused(*complete(todo), code="validation_failed", exit_code=3)
    details = refusal.error["details"]
    assert (details["exit_code"], details["timed_out"]) == (None, True)
    assert "100ms" in refusal.error["message"]
    assert not is_done(lab, todo)


def test_a_check_that_leaves_something_at_its_output_has_not_ended(lab: Loopx) -> None:
    child = "import time; time.sleep(600)"
    parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}])"
    todo = add(lab, python(parent), "--validation-timeout", "500ms")
    assert lab.refused(*complete(todo), code="validation_failed").error["details"]["timed_out"] is True


class Line:
    """A pipe to programs that are started later: it tells when one has come up, and when all are gone."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "line")
        os.mkfifo(self.path)
        self._fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        self._said = b""

    def program(self) -> str:
        """One that comes up, says so here and on its output, and does not end by itself."""
        say = "print('up', file=line, flush=True); print('up', flush=True)"
        return f"import time; line = open({self.path!r}, 'w'); {say}; time.sleep(600)"

    def is_up(self) -> bool:
        """Whether it has come up by now."""
        with suppress(BlockingIOError):
            self._said += os.read(self._fd, 100)
        return bool(self._said)

    def wait_until_up(self) -> None:
        while not self.is_up():
            select([self._fd], [], [], 60)

    def close(self) -> None:
        """Wait for the end of the last program; the system closes what a dead one has left open."""
        assert self.is_up()
        readable, _, _ = select([self._fd], [], [], 60)
        assert readable
        assert os.read(self._fd, 100) == b""
        os.close(self._fd)


def test_at_its_timeout_a_check_is_killed_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line(tmp_path)
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {line.program()!r}])"
    monkeypatch.setattr("loopx.workspace.process.monotonic", lambda: 3_600.0 if line.is_up() else 0.0)
    finished = run_to_end((sys.executable, "-c", parent), str(tmp_path), HOUR)
    assert (finished.exit_code, finished.tail[:2]) == (None, "up")
    line.close()


def test_a_check_that_is_interrupted_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(tmp_path)

    def interrupted(*_: object) -> bool:
        line.wait_until_up()
        raise KeyboardInterrupt

    monkeypatch.setattr("loopx.workspace.process._drain", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_to_end((sys.executable, "-c", line.program()), str(tmp_path), HOUR)
    line.close()


def test_every_other_refusal_comes_before_the_check(lab: Loopx, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    command = python(f"open({str(ran)!r}, 'w')")
    open_one = str(lab.ok("todo", "add", "--text", "first")["todo"]["todo_id"])
    todo = add(lab, command)
    lab.refused("todo", "complete", todo, "--claimed-by", "ann", code="evidence_required")
    lab.refused(*complete(todo, "--next-agent-todo", " "), code="usage")
    lab.refused(*complete(todo, "--successor-todo-id", todo), code="successor_invalid")
    lab.refused(*complete(todo, "--meets", "A9"), code="usage")
    lab.refused(*complete(todo, "--claim-token", "no-such-token"), code="claim_mismatch")
    lab.refused(*complete(add(lab, command, "--blocked-by", open_one)), code="todo_blocked")
    lab.refused(*complete(add(lab, command, "--excluded-agent", "ann")), code="agent_excluded")
    lab.refused(*complete(add(lab, command, "--claimed-by", "bob")), code="not_claim_owner")
    gated = add(lab, command, "--required-decision-scope", "direction:action:x")
    lab.refused(*complete(gated), code="gate_open")
    assert not ran.exists()
    lab.ok(*complete(todo))
    assert ran.exists()


def test_a_failure_is_recorded_without_the_check(lab: Loopx) -> None:
    todo = add(lab, python("raise SystemExit(1)"))
    assert lab.ok(*complete(todo, "--outcome", "failed"))["closure"] == "failed"
    (event,) = lab.ok("log", "--action", "todo_completed")["events"]
    assert "validation" not in event["receipt"]


def test_a_dry_run_starts_nothing_and_says_so(lab: Loopx, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    document = lab.ok(*complete(add(lab, python(f"open({str(ran)!r}, 'w')")), "--dry-run", "--no-follow-up"))
    assert document["dry_run"] is True
    assert any("not run" in warning for warning in document["warnings"])
    assert not ran.exists()


def test_a_retry_of_the_same_operation_runs_no_second_check(lab: Loopx, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    todo = add(lab, python(f"open({str(ran)!r}, 'a').write('x')"))
    first = lab.ok(*complete(todo, "--operation-id", "op-1"))
    second = lab.ok(*complete(todo, "--operation-id", "op-1"))
    assert ran.read_text() == "x"
    assert second["receipt"]["replayed"] is True
    assert {**second, "receipt": None} == {**first, "receipt": None}


def inner(loopx: Loopx, *argv: str) -> str:
    """A check that calls the command itself and passes if that does."""
    words = [str(Path(sys.executable).with_name("loopx")), "--project", str(loopx.root), *argv]
    return python(f"import subprocess, sys; sys.exit(subprocess.run({words!r}).returncode)")


def test_no_lock_is_held_while_a_check_runs(lab: Loopx) -> None:
    todo = add(lab, inner(lab, "todo", "add", "--text", "written meanwhile"))
    lab.ok(*complete(todo))
    assert lab.ok("todo", "list", "--text-match", "written meanwhile")["total"] == 1


def test_a_check_that_was_changed_while_it_ran_proves_nothing(lab: Loopx) -> None:
    todo = add(lab, python("pass"))
    lab.ok("todo", "update", todo, "--validation-command", inner(lab, "todo", "update", todo, "--clear-validation"))
    lab.refused(*complete(todo), code="version_conflict", exit_code=4)
    assert not is_done(lab, todo)


def test_what_was_settled_by_others_while_it_ran_stays_theirs(lab: Loopx) -> None:
    todo = add(lab, python("pass"))
    theirs = inner(lab, "todo", "supersede", todo, "--reason", "not needed", "--no-replacement")
    lab.ok("todo", "update", todo, "--validation-command", theirs)
    lab.refused(*complete(todo), code="todo_not_open")
    assert lab.ok("todo", "show", todo)["todo"]["closure"] == "superseded"
