"""Workers as processes: signals at any moment, the scenario for real, and nobody left behind (S4.8, S4.9)."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import Loopx, Running
from tests.support.git import git, new_repository
from tests.support.processes import is_alive, until

COMPLETE = (
    'loopx todo complete --goal-id "$LOOPX_GOAL_ID" --todo-id "$LOOPX_TODO_ID" --claim-token "$LOOPX_CLAIM_TOKEN"'
    ' --evidence "by $LOOPX_AGENT_ID" --no-follow-up --reason done >/dev/null'
)
QUICK = ("--poll-interval", "100ms", "--idle-polls", "3")
HELD = "echo $$ > started; sleep 600"


@pytest.fixture
def lab(loopx: Loopx) -> Loopx:
    agents = ("--agent", "ann", "--agent", "bob", "--agent", "lead")
    loopx.ok("init", "--goal-id", "lab", "--objective", "Find out", *agents)
    return loopx


def add(lab: Loopx, text: str, *more: str) -> str:
    return str(lab.ok("todo", "add", "--text", text, *more)["todo"]["todo_id"])


def show(lab: Loopx, todo: str) -> dict[str, Any]:
    return dict(lab.ok("todo", "show", todo)["todo"])


def shell(agent: str, script: str, *more: str) -> tuple[str, ...]:
    return ("worker", "run", "--agent-id", agent, "--recipe", "shell", "--exec", script, *QUICK, *more)


@pytest.fixture
def held(lab: Loopx) -> Iterator[tuple[Running, str, int]]:
    """A worker in the middle of a program that takes long, its todo, and the program's process."""
    todo = add(lab, "work")
    running = lab.start(*shell("ann", HELD))
    started = lab.root / "started"
    until(lambda: started.exists() and started.read_text().strip() != "")
    yield running, todo, int(started.read_text())
    if running.process.poll() is None:
        running.process.kill()
        running.process.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_program_gives_the_task_back_and_shows_in_the_exit_code(
    lab: Loopx, held: tuple[Running, str, int], number: signal.Signals, code: int
) -> None:
    running, todo, program = held
    running.process.send_signal(number)
    answer = running.answer()
    assert answer.code == code
    assert answer.json["ended_by"] == "stopped"
    assert [task["outcome"] for task in answer.json["tasks"]] == ["released"]
    assert not is_alive(program)
    assert (show(lab, todo)["lease"], show(lab, todo)["claimed_by"]) == (None, None)


def test_a_second_signal_does_not_wait_for_the_grace(lab: Loopx) -> None:
    todo = add(lab, "work")
    running = lab.start(*shell("ann", "trap '' TERM; echo $$ > started; while :; do sleep 1; done", "--grace", "10m"))
    started = lab.root / "started"
    until(lambda: started.exists() and started.read_text().strip() != "")
    running.process.send_signal(signal.SIGTERM)
    running.process.send_signal(signal.SIGINT)
    assert running.answer().code in (130, 143)
    until(lambda: not is_alive(int(started.read_text())))
    assert show(lab, todo)["lease"] is None


def test_a_killed_worker_leaves_no_program_and_its_lease_runs_out(lab: Loopx, held: tuple[Running, str, int]) -> None:
    running, todo, program = held
    running.process.kill()
    running.process.communicate()
    until(lambda: not is_alive(program))
    assert show(lab, todo)["lease"] is not None
    (row,) = [row for row in lab.ok("team", "status")["agents"] if row["agent_id"] == "ann"]
    assert (row["worker"], row["todo_id"]) == ("gone", todo)


def test_a_signal_before_anything_is_claimed_claims_nothing(lab: Loopx) -> None:
    running = lab.start(*shell("ann", "true"))
    until(lambda: _state(lab, "ann") == "idle")
    running.process.send_signal(signal.SIGTERM)
    answer = running.answer()
    assert (answer.code, answer.json["tasks_total"]) == (143, 0)


def test_one_agent_has_one_worker_at_a_time(lab: Loopx, held: tuple[Running, str, int]) -> None:
    lab.refused(*shell("ann", "true", "--once"), code="worker_running", exit_code=4)
    assert _state(lab, "ann") == "working"


def test_an_idle_worker_hears_mail_and_shutdown_from_another_process(lab: Loopx) -> None:
    running = lab.start(*shell("ann", "cat > heard", "--poll-interval", "1h"))
    until(lambda: _state(lab, "ann") == "idle")
    lab.ok("message", "send", "--to", "ann", "--text", "are you there?")
    until(lambda: "are you there?" in _text(lab.root / "heard"))
    asked = lab.ok("team", "shutdown", "--agent-id", "ann", "--wait", "1m")
    assert asked["accepted_total"] == 1
    answer = running.answer()
    assert (answer.code, answer.json["ended_by"]) == (0, "shutdown")


def test_an_idle_worker_takes_next_to_no_time_of_the_processor(lab: Loopx) -> None:
    running = lab.start(*shell("ann", "true", "--poll-interval", "1h"))
    until(lambda: _state(lab, "ann") == "idle")
    begin = _ticks(running.process.pid)
    lab.ok("quota", "should-run", "--agent-id", "bob", "--wait", "4s")  # some seconds go by
    used = _ticks(running.process.pid) - begin
    assert used <= 0.02 * 4 * os.sysconf("SC_CLK_TCK")  # the budget is 0.5 %; a tick is a quarter of that already
    running.process.terminate()
    running.answer()


def test_a_lost_lease_stops_the_program_and_refuses_its_late_result(lab: Loopx) -> None:
    todo = add(lab, "work")
    script = f"echo $$ > started; trap '{COMPLETE}; exit 0' TERM; while :; do sleep 0.05; done"
    running = lab.start(*shell("ann", script, "--lease-ttl", "1s", "--once"))
    until(lambda: _text(lab.root / "started") != "")
    lab.ok("todo", "supersede", todo, "--no-replacement", "--reason", "another way", "--as-user")
    answer = running.answer()
    assert [task["outcome"] for task in answer.json["tasks"]] == ["lost"]
    late = show(lab, todo)
    assert late["closure"] == "superseded"
    assert late["attempt_notes"] >= 1
    assert not is_alive(int(_text(lab.root / "started")))


def test_exit_0_completes_nothing_by_itself_and_something_where_it_was_asked_for(lab: Loopx) -> None:
    first = add(lab, "one")
    answer = lab.ok(*shell("ann", "echo done", "--once"))
    assert [task["outcome"] for task in answer["tasks"]] == ["not_completed"]
    assert show(lab, first)["status"] == "open"
    second = add(lab, "two")
    lab.ok(*shell("ann", "echo done", "--once", "--complete-on-success"))
    assert show(lab, second)["status"] == "done"


def test_a_teammate_works_and_shapes_nothing(lab: Loopx) -> None:
    add(lab, "work")
    script = (
        "loopx --format json todo add --text more > said; loopx --format json todo list --agent-id bob > other; true"
    )
    lab.ok(*shell("ann", script, "--once"))
    assert json.loads(_text(lab.root / "said"))["error"]["code"] == "role_not_allowed"
    assert len(lab.ok("todo", "list")["todos"]) == 1


def test_nobody_rises_above_a_teammate(lab: Loopx) -> None:
    env = {"LOOPX_ROLE": "teammate", "LOOPX_AGENT_ID": "ann"}
    lab.refused(*shell("ann", "true", "--role", "lead"), env=env, code="identity_mismatch")
    lab.refused("team", "run", "--teammate", "bob", "--exec", "true", env=env, code="identity_mismatch")
    lab.refused("team", "shutdown", "--agent-id", "bob", env=env, code="role_not_allowed")


def test_a_worker_in_its_own_worktree_works_there_and_delivers_from_there(loopx: Loopx) -> None:
    remote = "https://github.com/example/project.git"
    new_repository(loopx.root, remote)
    loopx.ok("init", "--goal-id", "lab", "--objective", "o", "--agent", "ann", "--agent", "bob")
    scope = ("--task-repository", "git:github.com/example/project", "--required-write-scope", "src/**")
    todo = str(loopx.ok("todo", "add", "--text", "write", *scope)["todo"]["todo_id"])
    idle = loopx.ok(*shell("ann", "true", "--once", "--complete-on-success"))
    assert idle["tasks_total"] == 0  # the shared checkout is no place for it
    done = loopx.ok(
        *shell("ann", "pwd; git branch --show-current > made", "--once", "--complete-on-success", "--worktree")
    )
    assert [task["outcome"] for task in done["tasks"]] == ["completed"]
    assert done["warnings"] == []
    assert done["worktree"] == {"branch": "loopx/ann", "kept": "it holds changes that are not committed"}
    assert (loopx.root / ".loopx" / "worktrees" / "ann" / "made").read_text().strip() == "loopx/ann"
    assert loopx.ok("quota", "status")["quota"][0]["used"]["slots"] == 1
    assert git(loopx.root, "branch", "--show-current") == "main"
    assert show(loopx, todo)["status"] == "done"


# --- teams ------------------------------------------------------------------------------

_LEAD = """\
add() { loopx --format json todo add --goal-id lab "$@" | sed 's/.*"todo_id":"\\([a-z0-9_]*\\)".*/\\1/'; }
a=$(add --text A); b=$(add --text B); add --text C --blocked-by "$a" --blocked-by "$b" > c
"""


@pytest.mark.parametrize("processes", [(), ("--one-process",)], ids=["several", "one"])
def test_the_scenario_of_lead_and_teammates_for_real(lab: Loopx, processes: tuple[str, ...]) -> None:
    (lab.root / "lead.sh").write_text(_LEAD, encoding="utf-8")
    team = lab.ok(
        "team", "run", "--agent-id", "lead", "--prompt", "make it", "--lead-exec", "sh lead.sh",
        "--teammate", "ann", "--teammate", "bob:teammate", "--recipe", "shell", "--exec", f"sleep 0.3; {COMPLETE}",
        *QUICK, *processes,
    )  # fmt: skip
    assert team["lead"]["succeeded"] is True
    assert (team["ended_by"], sorted(team["shut_down"])) == ("quiet", ["ann", "bob"])
    todos = lab.ok("todo", "list", "--full")["todos"]
    assert [todo["status"] for todo in todos] == ["done"] * 3
    assert todos[0]["claimed_by"] != todos[1]["claimed_by"]
    claims = [event["todo_id"] for event in lab.ok("log", "--action", "todo_claimed_next")["events"]]
    assert Counter(claims) == {todo["todo_id"]: 1 for todo in todos}
    assert claims[-1] == _text(lab.root / "c").strip() == todos[2]["todo_id"]
    assert {worker["ended_by"] for worker in team["workers"]} == {"shutdown"}
    assert lab.ok("message", "inbox", "--agent-id", "ann")["messages"] == []


def test_a_signal_to_the_team_ends_all_of_it(lab: Loopx) -> None:
    todo = add(lab, "work")
    running = lab.start(
        "team", "run", "--teammate", "ann", "--teammate", "bob", "--recipe", "shell", "--exec", HELD, *QUICK
    )
    until(lambda: _text(lab.root / "started") != "")
    running.process.terminate()
    answer = running.answer()
    assert (answer.code, answer.json["ended_by"]) == (143, "signal")
    assert not is_alive(int(_text(lab.root / "started")))
    assert show(lab, todo)["lease"] is None
    assert {row["worker"] for row in lab.ok("team", "status")["agents"]} == {"ended", "none"}


def test_workers_of_a_killed_team_end_by_themselves(lab: Loopx) -> None:
    add(lab, "work")
    running = lab.start("team", "run", "--teammate", "ann", "--recipe", "shell", "--exec", HELD, *QUICK)
    until(lambda: _text(lab.root / "started") != "")
    running.process.kill()
    running.process.communicate()
    until(lambda: _state(lab, "ann") == "ended")
    assert not is_alive(int(_text(lab.root / "started")))


def test_a_team_outlives_one_worker_that_is_killed(lab: Loopx) -> None:
    todo = add(lab, "work")
    script = f"if [ ! -e once ]; then touch once; kill -9 $(ps -o ppid= -p $PPID); sleep 600; else {COMPLETE}; fi"
    team = lab.ok(
        "team", "run", "--teammate", "ann", "--teammate", "bob", "--recipe", "shell", "--exec", script,
        "--poll-interval", "500ms", "--idle-polls", "6", "--lease-ttl", "1s",
    )  # fmt: skip
    assert team["ended_by"] == "quiet"
    assert [("error" in worker) for worker in team["workers"]].count(True) == 1
    assert show(lab, todo)["status"] == "done"


def test_a_program_that_is_missing_fails_the_team_and_claims_stay_free(lab: Loopx) -> None:
    todo = add(lab, "work")
    answer = lab.run("team", "run", "--teammate", "ann", "--exec", "no-such-program", *QUICK)
    assert (answer.code, answer.json["ended_by"]) == (2, "failure")
    assert answer.json["workers"][0]["error"]["code"] == "usage"
    assert show(lab, todo)["lease"] is None


def test_the_team_demo_plays_to_its_end(loopx: Loopx) -> None:
    steps = loopx.ok("demo", "--team")["steps"]
    assert steps[1]["shown"]["ended_by"] == "quiet"
    assert sorted(steps[1]["shown"]["shut_down"]) == ["alice", "bob"]
    assert steps[-1]["shown"]["total"] == 3


def _state(lab: Loopx, agent: str) -> str:
    rows = {row["agent_id"]: row for row in lab.call("team", "status").json["agents"]}
    return str(rows[agent]["worker"])


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _ticks(pid: int) -> int:
    """Processor time of the process so far, in ticks of the system."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
