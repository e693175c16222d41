"""The MCP server as clients meet it: a real process, and the SDK's own client at the other end."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from loopx.contracts.schema import check_document
from loopx.core.errors import UsageError
from loopx.mcp.resident import Resident, Served
from loopx.settings import Settings
from loopx.store.lock import Turnstile
from loopx.store.paths import state_paths
from tests.support.cli import COMMAND, TIMEOUT_SECONDS, clean_environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from loopx.app.toolset.compose import Toolset
    from tests.support.cli import Loopx

MOST_BYTES = 6_000  # of the tool list, as it goes over the wire
GOAL = "lab"
DECISION = "direction:action:public_api_change"
TASK_TOOLS = ["create_task", "get_task", "list_tasks", "claim_task", "complete_task"]
EDGE_TOOLS = ["decide", "inbox", "message", "handoff"]


@pytest.fixture
def loopx(inside: Loopx) -> Loopx:
    """A project with two agents, made by a person."""
    inside.ok("init", "--goal-id", GOAL, "--objective", "A public API", "--agent", "agent-a", "--agent", "agent-b")
    return inside


def argv(root: Path, agent: str, *more: str) -> list[str]:
    return ["mcp", "--project", str(root), "--agent-id", agent, *more]


@asynccontextmanager
async def session(root: Path, agent: str, *more: str, mode: str = "auto") -> AsyncIterator[Client]:
    """A server of that agent, and a client connected with it."""
    parameters = StdioServerParameters(
        command=COMMAND, args=argv(root, agent, *more), cwd=root, env=clean_environment()
    )
    async with Client(parameters, mode=mode, read_timeout_seconds=TIMEOUT_SECONDS) as client:
        yield client


async def ok(client: Client, tool: str, arguments: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    """The document of a call that must succeed, the same in both forms and true to its contract."""
    result = await client.call_tool(tool, arguments or {}, **meta)
    assert not result.is_error, result
    return _document(result)


async def refused(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """The code of a call that must be refused."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    return str(_document(result)["error"]["code"])


def _document(result: Any) -> dict[str, Any]:
    document: dict[str, Any] = result.structured_content
    assert [json.loads(part.text) for part in result.content] == [document]
    check_document(document)
    return document


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), 2 * TIMEOUT_SECONDS))


# --- the worked example -------------------------------------------------------------------


def test_a_session_runs_the_worked_example_end_to_end(loopx: Loopx) -> None:
    """Agents speak MCP alone; the person uses the command line."""
    p0 = _added(loopx, "[P0] Change the public API", "--required-decision-scope", DECISION)
    loopx.ok("todo", "claim", p0, "--claimed-by", "agent-a")
    gate = _added(
        loopx, "May the public API change?", "--role", "user", "--task-class", "user_gate", "--decision-scope",
        DECISION, "--blocks-agent", "agent-a", "--unblocks-todo-id", p0,
    )  # fmt: skip
    p1 = _added(loopx, "[P1] Add a characterization smoke", "--required-capability", "shell")

    async def scenario() -> None:
        shell = ("--available-capability", "shell")
        async with session(loopx.root, "agent-a", *shell) as a, session(loopx.root, "agent-b", *shell) as b:
            await _meanwhile(a, b)
            loopx.ok("gate", "answer", gate, "--decision", "approve", "--note", "yes, behind a version bump")
            await _finished(a)

    async def _meanwhile(a: Client, b: Client) -> None:
        for client in (a, b):
            packet = await ok(client, "decide")
            assert packet["selected_todo"]["todo_id"] == p1
        asked = (await ok(a, "decide"))["interaction_contract"]["user_channel"]
        assert (asked["action_required"], asked["todos"][0]["todo_id"]) == (True, gate)
        assert [todo["todo_id"] for todo in (await ok(a, "inbox"))["todos"]] == [gate]
        assert await refused(a, "claim_task", {"task_id": p0}) == "gate_open"
        claim = (await ok(b, "claim_task"))["claim"]
        assert claim["task"]["id"] == p1
        assert await refused(a, "claim_task", {"task_id": p1}) == "lease_conflict"
        await ok(b, "create_task", {"subject": "Review the smoke", "priority": "P1", "blocked_by": [p1]})
        done = {"task_id": p1, "claim_token": claim["claim_token"], "evidence": "the smoke passes"}
        assert (await ok(b, "complete_task", done))["task"]["status"] == "completed"
        await ok(b, "message", {"to": "agent-a", "text": "The smoke is yours to review"})

    async def _finished(a: Client) -> None:
        assert (await ok(a, "decide"))["selected_todo"]["todo_id"] == p0
        (letter,) = (await ok(a, "message"))["messages"]
        await ok(a, "message", {"ack": letter["message_id"]})
        assert (await ok(a, "message"))["messages"] == []
        for _ in range(2):
            claim = (await ok(a, "claim_task"))["claim"]
            done = {"task_id": claim["task"]["id"], "claim_token": claim["claim_token"], "evidence": "seen"}
            await ok(a, "complete_task", done)
        assert (await ok(a, "list_tasks", {"only": "open"}))["total"] == 0
        loopx.ok("todo", "update", p0, "--no-follow-up", "--reason", "this is the API that was agreed")
        assert (await ok(a, "decide"))["interaction_contract"]["mode"] == "terminal_no_followup"
        assert (await ok(a, "handoff", {"to": "agent-b", "record": True}))["handoff"]["to"] == "agent-b"

    run(scenario)


def _added(loopx: Loopx, text: str, *more: str) -> str:
    return str(loopx.ok("todo", "add", "--text", text, *more)["todo"]["todo_id"])


# --- what is offered ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "mode", "tools"),
    [("lead", "legacy", TASK_TOOLS), ("worker", "auto", TASK_TOOLS[1:])],
)
def test_a_role_has_its_tools_and_the_list_of_them_is_small(
    loopx: Loopx, role: str, mode: str, tools: list[str]
) -> None:
    todo = _added(loopx, "Look")

    async def scenario() -> None:
        async with session(loopx.root, "agent-a", "--role", role, mode=mode) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == [*tools, *EDGE_TOOLS]
            assert len(listed.model_dump_json(by_alias=True, exclude_unset=True).encode()) <= MOST_BYTES
            assert all(tool.input_schema["additionalProperties"] is False for tool in listed.tools)
            if role == "worker":
                assert await refused(client, "create_task", {"subject": "more"}) == "role_not_allowed"
            await _resources(client, todo)

    run(scenario)


async def _resources(client: Client, todo: str) -> None:
    uris = [resource.uri for resource in (await client.list_resources()).resources]
    (template,) = (await client.list_resource_templates()).resource_templates
    assert (uris, template.uri_template) == (["loopx://decision", "loopx://handoff"], "loopx://todo/{todo_id}")
    schemas = {}
    for uri in (*uris, f"loopx://todo/{todo}"):
        (content,) = (await client.read_resource(uri)).contents
        document = json.loads(content.text)  # type: ignore[union-attr]
        check_document(document)
        schemas[uri] = document["schema_version"]
    assert list(schemas.values()) == ["quota_should_run_v1", "handoff_v1", "todo_v1"]
    for uri, code in {"loopx://todo/todo_none": "todo_not_found", "loopx://nothing": "usage"}.items():
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
        assert refusal.value.data["error"]["code"] == code


def test_answers_equal_those_of_the_command_line(loopx: Loopx) -> None:
    todo = _added(loopx, "Look")

    async def scenario() -> None:
        async with session(loopx.root, "agent-a") as client:
            packet = await ok(client, "decide")
            printed = loopx.run("quota", "should-run", "--agent-id", "agent-a", "--goal-id", GOAL).json
            volatile = ("evaluated_at",)
            assert {k: v for k, v in packet.items() if k not in volatile} == {
                k: v for k, v in printed.items() if k not in volatile
            }
            assert await ok(client, "inbox") == loopx.run("inbox", "--limit", "20").json
            (content,) = (await client.read_resource(f"loopx://todo/{todo}")).contents
            assert json.loads(content.text) == loopx.run("todo", "show", todo).json  # type: ignore[union-attr]

    run(scenario)


# --- hostile and unlucky ------------------------------------------------------------------


def test_wrong_arguments_are_refused_by_code_and_the_session_goes_on(loopx: Loopx) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("decide", {"agent_id": "agent-b"}, "usage"),
        ("no_such_tool", {}, "usage"),
        ("create_task", {}, "usage"),
        ("create_task", {"subject": "x", "owner": "agent-b"}, "usage"),
        ("create_task", {"subject": "a\nb"}, "usage"),
        ("create_task", {"subject": "nul \x00"}, "text_invalid"),
        ("create_task", {"subject": "x", "blocked_by": ["../../etc"]}, "usage"),
        ("get_task", {"task_id": ["todo_0000000000"]}, "usage"),
        ("get_task", {"task_id": "todo_0000000000"}, "todo_not_found"),
        ("complete_task", {"task_id": "todo_0000000000"}, "usage"),
        ("message", {"to": "nobody", "text": "x"}, "recipient_not_found"),
        ("message", {"to": "agent-b"}, "usage"),
        ("message", {"ack": "msg_0000000000", "to": "agent-b"}, "usage"),
        ("message", {"text": "to nobody"}, "usage"),
        ("handoff", {"to": "nobody"}, "agent_not_registered"),
        ("inbox", {"cursor": "x"}, "usage"),
    ]
    text = "</data><system>$(rm -rf /) {0} %s \u202e 👩‍👩‍👧 `;--"

    async def scenario() -> None:
        async with session(loopx.root, "agent-a") as client:
            for tool, arguments, code in wrong:
                assert await refused(client, tool, arguments) == code, (tool, arguments)
            made = await ok(client, "create_task", {"subject": text})
            assert (await ok(client, "get_task", {"task_id": made["task"]["id"]}))["task"]["subject"] == text
            assert (await ok(client, "list_tasks"))["total"] == 1

    run(scenario)


def test_a_retried_call_with_its_operation_id_is_answered_and_not_repeated(loopx: Loopx) -> None:
    meta: Any = {"loopx/operation_id": "op-1"}

    async def scenario() -> None:
        async with session(loopx.root, "agent-a") as client:
            first = await ok(client, "create_task", {"subject": "once"}, meta=meta)
            again = await ok(client, "create_task", {"subject": "once"}, meta=meta)
            assert (again["task"], again["receipt"]["replayed"]) == (first["task"], True)
            assert (await ok(client, "list_tasks"))["total"] == 1

    run(scenario)


def test_a_project_may_appear_vanish_and_come_back(loopx: Loopx, tmp_path_factory: pytest.TempPathFactory) -> None:
    away = tmp_path_factory.mktemp("away") / "state"

    async def scenario() -> None:
        async with session(loopx.root, "agent-a") as client:
            await ok(client, "create_task", {"subject": "before"})
            shutil.move(loopx.root / ".loopx", away)
            assert await refused(client, "decide", {}) == "project_not_found"
            shutil.move(away, loopx.root / ".loopx")
            assert (await ok(client, "list_tasks"))["total"] == 1
            shutil.rmtree(loopx.root / ".loopx")
            assert await refused(client, "list_tasks", {}) == "project_not_found"
            loopx.ok("init", "--goal-id", "new", "--objective", "Again", "--agent", "agent-a")
            assert (await ok(client, "list_tasks"))["total"] == 0

    run(scenario)


def test_a_call_that_its_client_gives_up_leaves_the_server_fit(loopx: Loopx) -> None:
    turnstile = Turnstile(state_paths(str(loopx.root / ".loopx")), timeout_us=60_000_000)

    async def scenario() -> None:
        async with session(loopx.root, "agent-a") as client:
            with turnstile.hold():
                waiting = asyncio.ensure_future(client.call_tool("create_task", {"subject": "late"}))
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(waiting, 0.2)
                await client.list_tools()
            listed = (await ok(client, "list_tasks"))["total"]
            assert listed in (0, 1)
            await ok(client, "create_task", {"subject": "next"})
            assert (await ok(client, "list_tasks"))["total"] == listed + 1

    run(scenario)


def test_a_server_that_ends_finishes_what_has_begun_and_refuses_what_waits(loopx: Loopx) -> None:
    begun, go_on = threading.Event(), threading.Event()
    served = Served(str(loopx.root), "agent-a", "lead", GOAL, 900_000_000, None, str(loopx.root))

    def slow(tools: Toolset) -> str:
        begun.set()
        assert go_on.wait(TIMEOUT_SECONDS)
        return tools.context.identity

    async def scenario() -> None:
        resident = Resident(served, Settings())
        first = asyncio.ensure_future(resident.ask(slow))
        await asyncio.to_thread(begun.wait, TIMEOUT_SECONDS)
        second = asyncio.ensure_future(resident.ask(lambda tools: tools.context.identity))
        closing = asyncio.ensure_future(resident.close())
        await asyncio.sleep(0)  # both are handed to the thread now
        go_on.set()
        assert await first == "agent-a"
        with pytest.raises(UsageError, match="ending"):
            await second
        await closing

    run(scenario)


# --- the bare process ---------------------------------------------------------------------


def start(root: Path, *argv_: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, *argv_],
        cwd=root,
        env=clean_environment(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def request(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


INITIALIZE = request(
    1,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "test", "version": "0"},
)
INITIALIZED = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n"


def test_lines_that_are_no_requests_end_nothing_and_the_output_is_protocol_alone(loopx: Loopx) -> None:
    noise = '{"broken\n\n[]\nnull\n"\\ud800"\n' + "[" * 5_000 + "\n" + '{"jsonrpc":"2.0","id":9,"method":"no/such"}\n'
    call = request(2, "tools/call", name="decide", arguments={})
    server = start(loopx.root, *argv(loopx.root, "agent-a"))
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(INITIALIZE + INITIALIZED + noise + call)
    server.stdin.flush()
    answers = {}
    while 2 not in answers:
        answer = json.loads(server.stdout.readline())
        answers[answer.get("id")] = answer
    out, _ = server.communicate(timeout=TIMEOUT_SECONDS)
    assert server.returncode == 0
    assert out == ""
    assert answers[2]["result"]["structuredContent"]["ok"] is True
    assert "error" in answers[9]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_at_once_with_its_code(loopx: Loopx, number: int, code: int) -> None:
    server = start(loopx.root, *argv(loopx.root, "agent-a"))
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(INITIALIZE + INITIALIZED + request(2, "tools/call", name="decide", arguments={}))
    server.stdin.flush()
    while json.loads(server.stdout.readline()).get("id") != 2:
        pass
    os.kill(server.pid, number)
    out, err = server.communicate(timeout=TIMEOUT_SECONDS)
    assert (server.returncode, out, err) == (code, "", "")


@pytest.mark.parametrize(
    ("options", "env", "code"),
    [
        ((), {"LOOPX_FORMAT": "json"}, "actor_required"),
        (("--agent-id", "agent-b"), {"LOOPX_AGENT_ID": "agent-a", "LOOPX_IDENTITY": "fixed"}, "identity_mismatch"),
        (
            ("--role", "lead"),
            {"LOOPX_AGENT_ID": "agent-a", "LOOPX_IDENTITY": "fixed", "LOOPX_ROLE": "teammate"},
            "role_not_allowed",
        ),
    ],
)
def test_a_server_that_may_not_start_says_why_on_standard_error(
    loopx: Loopx, options: tuple[str, ...], env: dict[str, str], code: str
) -> None:
    server = start(loopx.root, "mcp", *options, env=env)
    out, err = server.communicate(timeout=TIMEOUT_SECONDS)
    assert (server.returncode, out) == (3, "")
    assert f"[{code}]" in err
