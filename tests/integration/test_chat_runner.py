"""The chat runner against an OpenAI-compatible server process: the model works through tools (S3, S4)."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from loopx.app.log import LogFilter, read_log
from loopx.app.message import read_inbox
from loopx.app.page import Page
from loopx.app.plan import approve_plan, show_plan
from loopx.app.todo_show import show_todo
from loopx.app.toolset.compose import compose_toolset
from loopx.app.toolset.tool import ToolContext
from tests.support.chat import KEY, Answers, assignment, runner_of, settings_of
from tests.support.chat_server import DROPS, HANGS, ChatServer, calls, calls_raw, chat_server, fails, says
from tests.support.contracts import check_document
from tests.support.processes import PATIENCE_SECONDS, is_alive, until, until_async
from tests.support.project import GOAL, call, make_state, open_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.project import Project
    from loopx.team.runner import Assignment, RunResult


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    make_state(tmp_path)
    project = open_project(tmp_path)
    yield project
    project.close()


def run(runner: Any, given: Assignment) -> RunResult:
    async def bounded() -> RunResult:
        result: RunResult = await asyncio.wait_for(runner.run(given), PATIENCE_SECONDS)
        return result

    return asyncio.run(bounded())


def made(project: Project, subject: str = "A") -> str:
    lead = compose_toolset(ToolContext(project, "ann", "lead", "run", goal_id=GOAL))
    return str(lead.call("create_task", {"subject": subject})["task"]["id"])


def shown(project: Project, todo_id: str) -> dict[str, Any]:
    todo: dict[str, Any] = show_todo(project, todo_id)["todo"]
    return todo


def answers(server: ChatServer) -> list[dict[str, Any]]:
    """What the tools answered, as the model read it in its last request."""
    return [json.loads(m["content"]) for m in server.requests()[-1]["body"]["messages"] if m["role"] == "tool"]


def audit(project: Project) -> list[dict[str, Any]]:
    events = read_log(project, LogFilter(action="tool_called"), Page())["events"]
    return [event["receipt"] for event in events]


# --- the work -----------------------------------------------------------------------------


def test_the_model_claims_works_and_completes_through_tools(
    project: Project, server: ChatServer, tmp_path: Path
) -> None:
    task = made(project, "write the greeting")
    server.script(
        calls("list_tasks", only="ready"),
        calls("claim_task", task_id="$id"),
        calls("write_file", path="out/greeting.txt", text="hello\n"),
        calls("shell", command="cat out/greeting.txt; echo $LOOPX_AGENT_ID; exit 3"),
        calls("complete_task", task_id=task, claim_token="$claim_token", evidence="out/greeting.txt"),
        says("The greeting is written."),
    )
    runner = runner_of(project, server, allow=("shell", "write_file:out/**"))
    result = run(runner, assignment(tmp_path))
    assert (result.succeeded, result.text) == (True, "The greeting is written.")
    assert result.tokens == 6 * 15
    for answer in answers(server):
        if "schema_version" in answer:
            check_document(answer)
    todo = shown(project, task)
    assert (todo["status"], todo["claimed_by"], todo["evidence"]) == ("done", "bob", "out/greeting.txt")
    assert (tmp_path / "work/out/greeting.txt").read_text() == "hello\n"
    ran = answers(server)[3]
    assert (ran["exit_code"], ran["output"]) == (3, "hello\nbob\n")


def test_a_lead_makes_tasks_and_steers_the_team(project: Project, server: ChatServer, tmp_path: Path) -> None:
    spawned: list[str] = []

    async def spawn(agent: str) -> dict[str, Any]:
        spawned.append(agent)
        return {"ok": True, "agent": agent}

    server.script(
        calls("create_task", subject="A"),
        calls("create_task", subject="C", blocked_by=["$id"]),
        calls("spawn_teammate", agent="bob"),
        calls("send_message", to="bob", text="A is for you"),
        calls("request_shutdown", agent="cy", reason="nothing left"),
        says("planned"),
    )
    runner = runner_of(project, server, spawn=spawn, allow=("spawn_teammate",))
    assert run(runner, assignment(tmp_path, agent="ann", role="lead", lead="user")).succeeded
    made_tasks = [answer["task"] for answer in answers(server)[:2]]
    assert made_tasks[1]["blocked_by"] == [made_tasks[0]["id"]]
    assert spawned == ["bob"]
    assert [m["text"] for m in read_inbox(project, GOAL, "bob", Page())["messages"]] == ["A is for you"]
    assert [m["kind"] for m in read_inbox(project, GOAL, "cy", Page())["messages"]] == ["shutdown_request"]


def test_a_model_that_only_says_done_completes_nothing(project: Project, server: ChatServer, tmp_path: Path) -> None:
    task = made(project)
    server.script(calls("claim_task", task_id=task), says("Done! Everything is completed."))
    assert run(runner_of(project, server), assignment(tmp_path)).succeeded
    todo = shown(project, task)
    assert (todo["status"], todo["lease"]["holder"]) == ("open", "bob")


def test_a_teammate_is_offered_exactly_its_tools(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(says("hello"))
    run(runner_of(project, server), assignment(tmp_path))
    offered = [tool["function"] for tool in server.requests()[0]["body"]["tools"]]
    assert [tool["name"] for tool in offered] == [
        "get_task", "list_tasks", "claim_task", "complete_task",
        "shell", "read_file", "write_file", "send_message", "submit_plan",
    ]  # fmt: skip
    assert all(tool["parameters"]["additionalProperties"] is False for tool in offered)


def test_the_message_and_the_rules_reach_the_model(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(says("hello"))
    run(runner_of(project, server), assignment(tmp_path, "the message as it is"))
    system, user = server.requests()[0]["body"]["messages"]
    assert user == {"role": "user", "content": "the message as it is"}
    assert "bob" in system["content"]
    assert "ann, your lead" in system["content"]


def test_last_words_leave_without_credentials_and_local_paths(
    project: Project, server: ChatServer, tmp_path: Path
) -> None:
    server.script(says("see /home/bob/notes and password=hunter22"))
    text = run(runner_of(project, server), assignment(tmp_path)).text
    assert "/home/bob" not in text
    assert "hunter22" not in text


# --- errors of tools ----------------------------------------------------------------------


def test_a_refusal_is_an_answer_that_the_model_can_use(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(calls("get_task", task_id="todo_0000000000"), calls("get_task", task="x"), says("no such task"))
    assert run(runner_of(project, server), assignment(tmp_path)).succeeded
    codes = [answer["error"]["code"] for answer in answers(server)]
    assert codes == ["todo_not_found", "usage"]


@pytest.mark.parametrize("text", ["{not json", "[1]", "7", '"text"', "{}}"])
def test_arguments_that_are_no_object_are_handed_back(
    project: Project, server: ChatServer, tmp_path: Path, text: str
) -> None:
    server.script(calls_raw("list_tasks", text), says("sorry"))
    result = run(runner_of(project, server), assignment(tmp_path))
    assert result.text == "sorry"
    assert "error" in server.requests()[-1]["body"]["messages"][-1]["content"]


def test_a_tool_that_does_not_exist_is_handed_back(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(calls("create_task", subject="A"), says("I may not"))
    assert run(runner_of(project, server), assignment(tmp_path)).text == "I may not"
    assert "create_task" in server.requests()[-1]["body"]["messages"][-1]["content"]


def test_a_model_that_never_learns_is_given_up(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(*[calls_raw("list_tasks", "{")] * 20)
    result = run(runner_of(project, server), assignment(tmp_path))
    assert not result.succeeded
    assert "[model_failed]" in result.summary


def test_a_model_that_comes_to_no_end_is_stopped(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(*[calls("list_tasks")] * 20)
    result = run(runner_of(project, server, settings=settings_of(server, most_requests=3)), assignment(tmp_path))
    assert (result.succeeded, result.facts["requests"]) == (False, 3)
    assert "within 3 requests" in result.summary
    assert result.tokens == 3 * 15


def test_a_bug_in_a_tool_is_not_swallowed(
    project: Project, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **_named: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("loopx.app.toolset.task.read_page", broken)
    server.script(calls("list_tasks"), says("fine"))
    with pytest.raises(ZeroDivisionError):
        run(runner_of(project, server), assignment(tmp_path))


# --- errors of the endpoint ---------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again(project: Project, server: ChatServer, tmp_path: Path, status: int) -> None:
    server.script(fails(status), fails(status), says("at last"))
    assert run(runner_of(project, server), assignment(tmp_path)).text == "at last"
    assert len(server.requests()) == 3


def test_a_dropped_connection_is_tried_again(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(DROPS, says("at last"))
    assert run(runner_of(project, server), assignment(tmp_path)).text == "at last"


def test_a_lasting_failure_ends_the_run_and_claims_nothing(
    project: Project, server: ChatServer, tmp_path: Path
) -> None:
    server.script(*[fails(429)] * 3, says("too late"))
    result = run(runner_of(project, server, settings=settings_of(server, most_retries=2)), assignment(tmp_path))
    assert (result.succeeded, result.text) == (False, "")
    assert "answered 429" in result.summary


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_of_the_endpoint_is_not_tried_again(
    project: Project, server: ChatServer, tmp_path: Path, status: int
) -> None:
    server.script(fails(status), says("never"))
    result = run(runner_of(project, server), assignment(tmp_path))
    assert f"answered {status}" in result.summary
    assert len(server.requests()) == 1


def test_a_redirect_is_not_followed(project: Project, server: ChatServer, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.settimeout(0)
        host, port = elsewhere.getsockname()
        server.script(fails(307, location=f"http://{host}:{port}/v1/chat/completions"))
        assert not run(runner_of(project, server), assignment(tmp_path)).succeeded
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


def test_nothing_but_the_endpoint_is_ever_asked(
    project: Project, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    resolve = socket.getaddrinfo

    def watched(host: Any, *more: Any, **named: Any) -> Any:
        asked.append(host)
        return resolve(host, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    server.script(calls("list_tasks"), says("done"))
    run(runner_of(project, server), assignment(tmp_path))
    assert set(asked) <= {"127.0.0.1", b"127.0.0.1"}
    assert {request["path"] for request in server.requests()} == {"/v1/chat/completions"}


def test_the_key_goes_to_the_endpoint_and_nowhere_else(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(calls("shell", command="env"), says(f"the key is {KEY}"))
    runner = runner_of(project, server, allow=("shell",))
    result = run(runner, assignment(tmp_path))
    assert all(request["key"] == f"Bearer {KEY}" for request in server.requests())
    assert KEY not in json.dumps([request["body"] for request in server.requests()][:-1])
    assert KEY not in answers(server)[0]["output"]
    assert KEY not in result.text
    assert KEY not in repr(runner)


# --- stopping -----------------------------------------------------------------------------


async def cancelled_once(runner: Any, given: Assignment, begun: Any) -> RunResult:
    """The result of a run that is cancelled as soon as `begun` says so."""
    work = asyncio.ensure_future(runner.run(given))
    await until_async(begun)
    given.cancel.set()
    result: RunResult = await asyncio.wait_for(work, PATIENCE_SECONDS)
    return result


def test_a_lost_lease_ends_the_wait_for_the_model(project: Project, server: ChatServer, tmp_path: Path) -> None:
    server.script(HANGS)
    result = asyncio.run(
        cancelled_once(runner_of(project, server), assignment(tmp_path), lambda: bool(server.requests()))
    )
    assert (result.succeeded, result.summary) == (False, "stopped")


def test_a_lost_lease_ends_a_command_with_all_it_started(project: Project, server: ChatServer, tmp_path: Path) -> None:
    given = assignment(tmp_path)
    pid_file = Path(given.folder) / "pid"
    server.script(calls("shell", command="sleep 600 & echo $! > pid; wait"), says("never"))
    runner = runner_of(project, server, allow=("shell",))
    result = asyncio.run(cancelled_once(runner, given, lambda: pid_file.exists() and pid_file.read_text().strip()))
    assert result.summary == "stopped"
    until(lambda: not is_alive(int(pid_file.read_text())))


def test_nothing_is_left_running_or_open(
    project: Project, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def looked() -> set[Any]:
        await runner_of(project, server).run(assignment(tmp_path))
        return asyncio.all_tasks() - {asyncio.current_task()}

    opened = project.another()
    monkeypatch.setattr(project, "another", lambda: opened)
    server.script(calls("list_tasks"), says("done"))
    assert asyncio.run(looked()) == set()
    assert (opened.embedded._reader, opened.embedded._writer) == (None, None)
    until(lambda: not any(thread.name.startswith("loopx-tools") for thread in threading.enumerate()))


# --- policy, plan, audit ------------------------------------------------------------------


def test_without_a_terminal_what_would_be_asked_is_refused(
    project: Project, server: ChatServer, tmp_path: Path
) -> None:
    given = assignment(tmp_path)
    server.script(calls("shell", command="touch x"), calls("write_file", path="x", text="y"), says("I could not"))
    run(runner_of(project, server), given)
    assert [answer["error"]["code"] for answer in answers(server)] == ["tool_denied", "tool_denied"]
    assert os.listdir(given.folder) == []
    assert [event["clearance"] for event in audit(project)] == ["unanswered", "unanswered"]


@pytest.mark.parametrize(("answer", "clearance"), [(True, "approved"), (False, "declined")])
def test_a_person_is_asked_on_the_terminal(
    project: Project, server: ChatServer, tmp_path: Path, answer: bool, clearance: str
) -> None:
    given, person = assignment(tmp_path), Answers(answer=answer)
    server.script(calls("shell", command="touch x"), says("well"))
    run(runner_of(project, server, asker=person), given)
    assert [(question.agent_id, question.tool, question.about) for question in person.asked] == [
        ("bob", "shell", "touch x")
    ]
    assert (os.listdir(given.folder) == ["x"]) is answer
    assert [event["clearance"] for event in audit(project)] == [clearance]


def test_a_denial_is_not_asked(project: Project, server: ChatServer, tmp_path: Path) -> None:
    person = Answers(answer=True)
    server.script(calls("write_file", path="src/secret.py", text="y"), says("well"))
    runner = runner_of(project, server, asker=person, allow=("write_file",), deny=("write_file:src/secret.py",))
    run(runner, assignment(tmp_path))
    assert person.asked == []
    assert answers(server)[0]["error"]["details"]["clearance"] == "denied"


def test_a_plan_without_approval_holds_what_starts_work(project: Project, server: ChatServer, tmp_path: Path) -> None:
    made(project)
    server.script(
        calls("submit_plan", plan="first this, then that"),
        calls("shell", command="touch x"),
        calls("claim_task"),
        calls("list_tasks"),
        says("I wait"),
    )
    given = assignment(tmp_path)
    runner = runner_of(project, server, allow=("shell",))
    run(runner, given)
    assert [answer.get("error", {}).get("code") for answer in answers(server)] == [
        None, "plan_not_approved", "plan_not_approved", None,
    ]  # fmt: skip
    assert os.listdir(given.folder) == []
    plan = show_plan(project, GOAL, agent_id="bob")["plan"]
    assert plan["status"] == "pending"
    approve_plan(project, call("plan_approved"), plan["plan_id"])
    server.script(calls("shell", command="touch x"), says("go"))
    run(runner, assignment(tmp_path))
    assert os.listdir(given.folder) == ["x"]


def test_every_call_is_an_event_without_its_arguments(project: Project, server: ChatServer, tmp_path: Path) -> None:
    task = made(project)
    server.script(
        calls("claim_task", task_id=task),
        calls("shell", command="deploy --password=hunter22 /home/bob/x"),
        calls("complete_task", task_id=task, claim_token="$claim_token", evidence="a long story"),
        calls("get_task", id=task),
        calls("read_file", path="../x"),
        says("done"),
    )
    run(runner_of(project, server, allow=("shell",)), assignment(tmp_path, todo_id=task))
    events = read_log(project, LogFilter(action="tool_called"), Page())["events"]
    assert {event["actor"] for event in events} == {"bob"}
    assert {event["todo_id"] for event in events} == {task}
    notes = [event["receipt"] for event in events]
    assert [(note["tool"], note["clearance"]) for note in notes] == [
        ("claim_task", "allowed"),
        ("shell", "allowed"),
        ("complete_task", "allowed"),
        ("get_task", "malformed"),
        ("read_file", "malformed"),
    ]
    assert all(len(note["arguments_sha256"]) == 64 for note in notes)
    stored = json.dumps(notes)
    for kept_out in ("hunter22", "/home/bob", "a long story", "00000000-0000-4000-8000-000000000001"):
        assert kept_out not in stored


def test_file_tools_stay_in_the_workspace(project: Project, server: ChatServer, tmp_path: Path) -> None:
    given = assignment(tmp_path)
    (tmp_path / "outside.txt").write_text("secret")
    (Path(given.folder) / "link").symlink_to(tmp_path / "outside.txt")
    paths = ("../outside.txt", str(tmp_path / "outside.txt"), "link", "missing.txt")
    server.script(*[calls("read_file", path=path) for path in paths], says("nothing there"))
    run(runner_of(project, server), given)
    assert [answer["error"]["code"] for answer in answers(server)] == [
        "path_escape", "path_escape", "path_escape", "file_missing",
    ]  # fmt: skip
    assert "secret" not in json.dumps(answers(server))
