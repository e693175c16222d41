"""The task tools by role, on the real store: strict input, the caller's identity, one store (S3)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from loopx.app.goal_state import move_goal
from loopx.app.lease import LeaseRequest, acquire_lease
from loopx.app.log import LogFilter, read_log
from loopx.app.page import Page
from loopx.app.successors import Following
from loopx.app.todo_add import add_todo
from loopx.app.todo_claim import claim_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_show import show_todo
from loopx.app.toolset.audit import Clearance, ToolCall, digest_of, record_call
from loopx.app.toolset.compose import Bound, Toolset, compose_toolset, task_tools
from loopx.app.toolset.task import COMPLETE_TASK, CREATE_TASK, LIST_TASKS, TASK_TOOLS
from loopx.app.toolset.tool import ToolContext
from loopx.core.errors import (
    AlreadyDoneError,
    ClaimMismatchError,
    GateOpenError,
    GoalNotActiveError,
    LeaseConflictError,
    LeaseExpiredError,
    LeaseScopeConflictError,
    LoopxError,
    RoleNotAllowedError,
    TeamStateError,
    TextInvalidError,
    TodoBlockedError,
    TodoInvalidError,
    TodoNotOpenError,
    UsageError,
)
from loopx.core.goal_state import GoalVerb
from loopx.core.todo import Role, Status, TaskClass
from loopx.settings import ROLES
from loopx.team.chat.catalog import EDGE_TOOLS
from tests.support.contracts import check_document
from tests.support.fakes import FakeClock
from tests.support.project import GOAL, call, make_state, open_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.project import Project

TTL = 60_000_000
UNKNOWN_TOKEN = "00000000-0000-4000-8000-00000000ffff"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Iterator[Project]:
    make_state(tmp_path)
    project = open_project(tmp_path, clock=clock)
    yield project
    project.close()


def context_of(project: Project, agent: str, role: str, **more: Any) -> ToolContext:
    return ToolContext(project, agent, role, f"run_of_{agent}", goal_id=GOAL, ttl=TTL, **more)


@pytest.fixture
def lead(project: Project) -> Toolset:
    return compose_toolset(context_of(project, "ann", "lead"))


@pytest.fixture
def bob(project: Project) -> Toolset:
    return compose_toolset(context_of(project, "bob", "teammate"))


@pytest.fixture
def cy(project: Project) -> Toolset:
    return compose_toolset(context_of(project, "cy", "teammate"))


def ask(tools: Toolset, name: str, **arguments: Any) -> dict[str, Any]:
    """The document of a call, held against its contract."""
    document = tools.call(name, arguments)
    check_document(document)
    return document


def made(lead: Toolset, subject: str, **more: Any) -> str:
    return str(ask(lead, "create_task", subject=subject, **more)["task"]["id"])


def claimed(tools: Toolset, task_id: str) -> str:
    return str(ask(tools, "claim_task", task_id=task_id)["claim"]["claim_token"])


def tasks(tools: Toolset, **arguments: Any) -> list[str]:
    return [task["id"] for task in ask(tools, "list_tasks", **arguments)["tasks"]]


# --- what a tool is -----------------------------------------------------------------------


def test_the_lead_and_subagents_have_five_tools_and_a_teammate_four() -> None:
    five = ["create_task", "get_task", "list_tasks", "claim_task", "complete_task"]
    assert [tool.name for tool in task_tools("lead")] == five
    assert [tool.name for tool in task_tools("subagent")] == five
    assert [tool.name for tool in task_tools("teammate")] == five[1:]


@pytest.mark.parametrize("tool", TASK_TOOLS, ids=lambda tool: tool.name)
def test_every_schema_is_valid_and_closed(tool: Any) -> None:
    Draft202012Validator.check_schema(tool.schema)
    assert tool.schema["additionalProperties"] is False
    assert "owner" not in tool.schema["properties"]
    assert "\n" not in tool.description


def test_complete_task_requires_id_and_token_and_nothing_else() -> None:
    assert COMPLETE_TASK.schema["required"] == ["task_id", "claim_token"]


def test_the_definitions_cost_a_model_few_tokens() -> None:
    listed = [{"name": tool.name, "description": tool.description, "inputSchema": tool.schema} for tool in TASK_TOOLS]
    assert len(json.dumps(listed)) < 3_000


# --- the work -----------------------------------------------------------------------------


def test_a_worker_claims_completes_and_unblocks(lead: Toolset, bob: Toolset) -> None:
    first, second = made(lead, "A"), made(lead, "B")
    third = made(lead, "C", blocked_by=[second, first])
    claim = ask(bob, "claim_task", task_id=first)["claim"]
    assert claim["task"] == {
        "id": first, "subject": "A", "description": "", "status": "in_progress", "owner": "bob", "blocked_by": [],
    }  # fmt: skip
    assert claim["lease_expires_at_utc"] == "2026-01-01T00:01:00Z"
    done = ask(bob, "complete_task", task_id=first, claim_token=claim["claim_token"], evidence="made")
    assert (done["task"]["status"], done["task"]["owner"], done["unblocked"]) == ("completed", "bob", [])
    token = claimed(bob, second)
    assert ask(bob, "complete_task", task_id=second, claim_token=token)["unblocked"] == [third]
    assert ask(bob, "get_task", task_id=third)["task"]["blocked_by"] == [second, first]


def test_claim_without_an_id_takes_the_best_ready_task(lead: Toolset, bob: Toolset) -> None:
    made(lead, "later")
    urgent = made(lead, "now", priority="P0")
    assert ask(bob, "claim_task")["claim"]["task"]["id"] == urgent


def test_claim_with_nothing_ready_is_an_explicit_empty_answer(bob: Toolset) -> None:
    answer = ask(bob, "claim_task")
    assert answer["claim"] is None
    assert answer["reason"]


def test_missing_evidence_is_the_id_of_the_run(lead: Toolset, bob: Toolset) -> None:
    task = made(lead, "A")
    ask(bob, "complete_task", task_id=task, claim_token=claimed(bob, task))
    assert ask(bob, "get_task", task_id=task)["task"]["evidence"] == "run_of_bob"


def test_a_made_task_counts_as_no_follow_up(lead: Toolset, bob: Toolset) -> None:
    task = made(lead, "A")
    done = ask(bob, "complete_task", task_id=task, claim_token=claimed(bob, task))
    assert done["closure"] == "completed_no_followup"


def test_a_made_task_counts_as_no_follow_up_on_the_command_line_too(project: Project, lead: Toolset) -> None:
    task = made(lead, "A")
    done = complete_todo(project, call("todo_completed", "bob"), task, Completion(evidence="made"))
    assert done["closure"] == "completed_no_followup"


def test_a_failure_is_recorded_as_one_and_leaves_the_gap_open(lead: Toolset, bob: Toolset, project: Project) -> None:
    task = made(lead, "A")
    done = ask(bob, "complete_task", task_id=task, claim_token=claimed(bob, task), outcome="failed")
    assert (done["task"]["status"], done["closure"]) == ("completed", "failed")
    assert ask(lead, "get_task", task_id=task)["task"]["closure"] == "failed"
    assert show_todo(project, task)["todo"]["no_followup"] is False


def test_a_named_successor_counts_before_the_statement_that_nothing_follows(project: Project, lead: Toolset) -> None:
    task = made(lead, "A")
    completion = Completion(evidence="made", following=Following(agent_todos=("B",)))
    done = complete_todo(project, call("todo_completed", "bob"), task, completion)
    assert done["closure"] == "completed"
    assert show_todo(project, task)["todo"]["no_followup"] is False


def test_other_todos_owe_their_follow_up_still(project: Project, bob: Toolset) -> None:
    todo = add_todo(project, call("todo_added"), NewTodo(text="typed"))["todo"]["todo_id"]
    done = ask(bob, "complete_task", task_id=todo, claim_token=claimed(bob, todo))
    assert done["closure"] == "completed"


def test_a_retry_of_one_call_gives_the_same_answer(lead: Toolset) -> None:
    first = lead.call("create_task", {"subject": "A"}, operation_id="call_1")
    again = lead.call("create_task", {"subject": "A"}, operation_id="call_1")
    assert again["task"] == first["task"]
    assert again["receipt"]["replayed"] is True
    assert tasks(lead) == [first["task"]["id"]]


# --- what is read -------------------------------------------------------------------------


def test_a_list_is_in_creation_order_and_in_pages(lead: Toolset) -> None:
    made_tasks = [made(lead, f"task {number}", priority=f"P{4 - number}") for number in range(4)]
    page = ask(lead, "list_tasks", limit=3)
    assert [task["id"] for task in page["tasks"]] == made_tasks[:3]
    assert (page["total"], page["truncated"]) == (4, True)
    assert tasks(lead, cursor=page["next_cursor"]) == made_tasks[3:]


def test_ready_is_what_this_worker_may_claim(lead: Toolset, bob: Toolset, cy: Toolset) -> None:
    first = made(lead, "A")
    held = made(lead, "B", blocked_by=[first])
    assert tasks(bob, only="ready") == [first]
    token = claimed(bob, first)
    assert tasks(cy, only="ready") == []
    assert tasks(cy, only="open") == [first, held]
    ask(bob, "complete_task", task_id=first, claim_token=token)
    assert (tasks(cy, only="ready"), tasks(cy, only="completed")) == ([held], [first])


def test_a_list_holds_work_and_not_what_people_decide(project: Project, lead: Toolset) -> None:
    add_todo(project, call("todo_added"), NewTodo(text="shall we?", role=Role.USER))
    assert tasks(lead) == []


def test_no_read_ever_shows_a_token(lead: Toolset, bob: Toolset) -> None:
    task = made(lead, "A")
    token = claimed(bob, task)
    for name, arguments in (("get_task", {"task_id": task}), ("list_tasks", {})):
        assert token not in json.dumps(bob.call(name, arguments))


def test_a_long_first_line_is_whole_in_the_description(project: Project, lead: Toolset) -> None:
    text = "é" * 100 + "\nmore"
    todo = add_todo(project, call("todo_added"), NewTodo(text=text))["todo"]["todo_id"]
    task = ask(lead, "get_task", task_id=todo)["task"]
    assert len(task["subject"].encode()) <= 120
    assert task["description"] == text


def test_a_gated_task_says_so(project: Project, lead: Toolset, bob: Toolset) -> None:
    todo = gated(project)
    assert [mark["mark"] for mark in ask(lead, "get_task", task_id=todo)["task"]["marks"]] == ["GATED"]
    with pytest.raises(GateOpenError):
        bob.call("claim_task", {"task_id": todo})


def gated(project: Project) -> str:
    scope = "direction:action:api"
    new = NewTodo(text="work", required_decision_scopes=(scope,))
    todo = str(add_todo(project, call("todo_added"), new)["todo"]["todo_id"])
    gate = NewTodo(
        text="may we?", role=Role.USER, task_class=TaskClass.USER_GATE, decision_scope=scope, global_gate=True
    )
    add_todo(project, call("todo_added"), gate)
    return todo


# --- claims are exclusive -----------------------------------------------------------------


def test_one_task_has_one_holder(lead: Toolset, bob: Toolset, cy: Toolset) -> None:
    task = made(lead, "A")
    claimed(bob, task)
    with pytest.raises(LeaseConflictError, match="bob"):
        cy.call("claim_task", {"task_id": task})


def test_a_blocked_task_is_not_claimed(lead: Toolset, bob: Toolset) -> None:
    second = made(lead, "B", blocked_by=[made(lead, "A")])
    with pytest.raises(TodoBlockedError):
        bob.call("claim_task", {"task_id": second})


def test_what_claim_next_skips_is_not_claimed_by_id(project: Project, bob: Toolset) -> None:
    new = NewTodo(text="needs a tool", required_capabilities=("browser",))
    todo = add_todo(project, call("todo_added"), new)["todo"]["todo_id"]
    with pytest.raises(TodoBlockedError) as refused:
        bob.call("claim_task", {"task_id": todo})
    assert refused.value.details["reason_code"] == "capability_missing"
    able = compose_toolset(context_of(project, "bob", "teammate", capabilities=("browser",)))
    assert ask(able, "claim_task", task_id=todo)["claim"]


def test_a_peers_soft_claim_keeps_others_from_the_lease(project: Project, lead: Toolset, bob: Toolset) -> None:
    task = made(lead, "A")
    claim_todo(project, call("todo_claimed", "cy"), task, None)
    with pytest.raises(LeaseConflictError, match="cy"):
        bob.call("claim_task", {"task_id": task})


def test_two_tasks_that_write_one_path_are_not_held_at_once(project: Project, cy: Toolset) -> None:
    new = [NewTodo(text="write", required_write_scopes=(scope,)) for scope in ("src/**", "src/a.py")]
    first, second = (add_todo(project, call("todo_added"), one)["todo"]["todo_id"] for one in new)
    acquire_lease(project, call("lease_acquired", "bob"), LeaseRequest(first))
    with pytest.raises(LeaseScopeConflictError):
        cy.call("claim_task", {"task_id": second})


def test_nothing_is_claimed_while_the_goal_is_paused(project: Project, lead: Toolset, bob: Toolset) -> None:
    task = made(lead, "A")
    move_goal(project, call("goal_paused"), GoalVerb.PAUSE)
    with pytest.raises(GoalNotActiveError):
        bob.call("claim_task", {"task_id": task})


def test_a_sleeping_task_whose_condition_holds_is_claimed(project: Project, bob: Toolset, clock: FakeClock) -> None:
    new = NewTodo(text="later", status=Status.DEFERRED, resume_when="in:1h")
    todo = add_todo(project, call("todo_added"), new)["todo"]["todo_id"]
    with pytest.raises(TodoNotOpenError):
        bob.call("claim_task", {"task_id": todo})
    clock.advance(3_600_000_000)
    assert claimed(bob, todo)


def test_a_monitor_is_not_claimed_as_work(project: Project, bob: Toolset) -> None:
    new = NewTodo(text="watch", task_class=TaskClass.MONITOR, poll_every=TTL)
    todo = add_todo(project, call("todo_added"), new)["todo"]["todo_id"]
    with pytest.raises(TodoInvalidError):
        bob.call("claim_task", {"task_id": todo})


def test_completion_needs_the_own_live_token(lead: Toolset, bob: Toolset, cy: Toolset, clock: FakeClock) -> None:
    task = made(lead, "A")
    token = claimed(bob, task)
    with pytest.raises(ClaimMismatchError):
        bob.call("complete_task", {"task_id": task, "claim_token": UNKNOWN_TOKEN})
    with pytest.raises(LoopxError):
        cy.call("complete_task", {"task_id": task, "claim_token": token})
    clock.advance(TTL)
    with pytest.raises(LeaseExpiredError):
        bob.call("complete_task", {"task_id": task, "claim_token": token})
    fresh = claimed(cy, task)
    with pytest.raises(LeaseExpiredError):
        bob.call("complete_task", {"task_id": task, "claim_token": token})
    ask(cy, "complete_task", task_id=task, claim_token=fresh)
    with pytest.raises(AlreadyDoneError):
        cy.call("complete_task", {"task_id": task, "claim_token": fresh})


# --- hostile input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("claim_task", {"owner": "cy"}),
        ("claim_task", {"task_id": "todo_0000000001\n"}),
        ("claim_task", {"task_id": "TODO_0000000001"}),
        ("claim_task", {"task_id": "todo_1"}),
        ("get_task", {}),
        ("get_task", {"task_id": 7}),
        ("get_task", []),
        ("get_task", None),
        ("list_tasks", {"limit": True}),
        ("list_tasks", {"limit": 0}),
        ("list_tasks", {"cursor": "x"}),
        ("list_tasks", {"only": "all"}),
        ("complete_task", {"task_id": "todo_0000000001"}),
        ("complete_task", {"task_id": "todo_0000000001", "claim_token": "x"}),
        ("complete_task", {"task_id": "todo_0000000001", "claim_token": UNKNOWN_TOKEN.upper()}),
        ("complete_task", {"task_id": "todo_0000000001", "claim_token": UNKNOWN_TOKEN, "evidence": ""}),
        ("nonsense", {}),
    ],
)
def test_odd_arguments_are_a_usage_error(bob: Toolset, name: str, arguments: object) -> None:
    with pytest.raises(UsageError):
        bob.call(name, arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"subject": "two\nlines"},
        {"subject": ""},
        {"subject": "x" * 121},
        {"subject": "A", "owner": "bob"},
        {"subject": "A", "claimed_by": "bob"},
        {"subject": "A", "blocked_by": ["todo_1"]},
        {"subject": "A", "blocked_by": "todo_0000000001"},
        {"subject": "A", "priority": "p1"},
        {"subject": "[P0] A", "priority": "P1"},
    ],
)
def test_an_odd_task_is_a_usage_error(lead: Toolset, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        lead.call("create_task", arguments)


def test_text_that_cannot_be_stored_is_refused(lead: Toolset) -> None:
    for text in ("a\x00b", "a\ud800b"):
        with pytest.raises(TextInvalidError):
            lead.call("create_task", {"subject": text})


def test_a_near_miss_is_named(bob: Toolset) -> None:
    with pytest.raises(UsageError, match="task_id"):
        bob.call("get_task", {"taskid": "todo_0000000001"})


def test_a_teammate_makes_no_task_by_any_door(project: Project, bob: Toolset) -> None:
    with pytest.raises(RoleNotAllowedError):
        bob.call("create_task", {"subject": "A"})
    with pytest.raises(RoleNotAllowedError):  # the use case refuses too, whatever the set says
        CREATE_TASK.handler(bob.context, {"subject": "A"})


def test_a_bug_is_not_swallowed(project: Project) -> None:
    def broken(_context: ToolContext, _arguments: dict[str, Any]) -> dict[str, Any]:
        raise ZeroDivisionError

    context = context_of(project, "bob", "teammate")
    tools = [Bound(tool, context) for tool in task_tools("teammate") if tool is not LIST_TASKS]
    spoilt = compose_toolset(context, tasks=[*tools, Bound(LIST_TASKS._replace(handler=broken), context)])
    with pytest.raises(ZeroDivisionError):
        spoilt.call("list_tasks", {})


def test_any_call_can_be_recorded(project: Project, bob: Toolset) -> None:
    odd = ["a\ud800b", "a\x00b", "x" * 100_000, float("nan"), {"\ud800": None}, None]
    for about in ("a\ud800b", "a\x00b", "é" * 1_000, "", None):
        called = ToolCall("shell", {"command": odd}, Clearance.ALLOWED, starts_work=True, about=about)
        assert record_call(bob.context, called) is Clearance.ALLOWED
    check_document({**read_log(project, LogFilter(), Page()), "warnings": []})


def test_the_digest_of_arguments_does_not_depend_on_their_order() -> None:
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1}) != digest_of({"a": 1, "b": 3})


# --- composition --------------------------------------------------------------------------


def test_tools_on_two_stores_do_not_compose(project: Project, tmp_path: Path) -> None:
    other = open_project(tmp_path)
    context = context_of(project, "bob", "teammate")
    first, *rest = (Bound(tool, context) for tool in task_tools("teammate"))
    strange = first._replace(context=context._replace(project=other))
    with pytest.raises(TeamStateError, match="store"):
        compose_toolset(context, tasks=[strange, *rest])


@pytest.mark.parametrize("change", [{"identity": "cy"}, {"role": "lead"}])
def test_tools_of_two_agents_or_roles_do_not_compose(project: Project, change: dict[str, str]) -> None:
    context = context_of(project, "bob", "teammate")
    first, *rest = (Bound(tool, context) for tool in task_tools("teammate"))
    with pytest.raises(TeamStateError):
        compose_toolset(context, tasks=[first._replace(context=context._replace(**change)), *rest])


def test_a_teammate_is_not_given_five_nor_a_lead_four(project: Project) -> None:
    for role, tools in (("teammate", TASK_TOOLS), ("lead", task_tools("teammate"))):
        context = context_of(project, "bob", role)
        with pytest.raises(TeamStateError, match="exactly"):
            compose_toolset(context, tasks=[Bound(tool, context) for tool in tools])


def test_two_tools_of_one_name_do_not_compose(project: Project) -> None:
    context = context_of(project, "bob", "teammate")
    with pytest.raises(TeamStateError, match="one name"):
        compose_toolset(context, more=[Bound(LIST_TASKS, context)])


def test_a_tool_of_another_role_does_not_compose(project: Project) -> None:
    context = context_of(project, "bob", "teammate")
    with pytest.raises(TeamStateError, match="not for a teammate"):
        compose_toolset(context, more=[Bound(CREATE_TASK._replace(name="make"), context)])


def test_an_unknown_role_is_refused(project: Project) -> None:
    with pytest.raises(UsageError):
        compose_toolset(context_of(project, "bob", "boss"))


# --- the page -----------------------------------------------------------------------------


def test_the_reference_has_every_tool_with_its_arguments_and_roles() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/reference/tools.md").read_text(encoding="utf-8")
    rows = {row.split("`")[1]: [cell.strip() for cell in row.split("|")] for row in page.splitlines() if "| `" in row}
    tools = [*TASK_TOOLS, *EDGE_TOOLS]
    assert set(rows) == {tool.name for tool in tools}
    for tool in tools:
        _, _, roles, required, optional, *_ = rows[tool.name]
        assert roles == ("all" if tool.roles == ROLES else ", ".join(tool.roles)), tool.name
        assert re.findall("`([a-z_]+)`", required) == tool.schema["required"], tool.name
        others = [name for name in tool.schema["properties"] if name not in tool.schema["required"]]
        assert [name for name in re.findall("`([a-z_]+)`", optional) if name in others] == others, tool.name
