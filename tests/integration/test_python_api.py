"""The control plane from Python: the command line's answers, one identity, one thread."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import loopx
from loopx.api import ControlPlane, create_project
from loopx.app.session import Outside
from loopx.core.errors import (
    AlreadyClaimedError,
    AlreadyInitialisedError,
    IdentityMismatchError,
    LoopxError,
    ProjectNotFoundError,
    RoleNotAllowedError,
    UsageError,
    UserDecisionRequiredError,
)
from tests.support.contracts import check_document

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.cli import Loopx
    from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens

GOAL = "lab"


@pytest.fixture
def inside(inside: Loopx) -> Loopx:
    """A project with two agents on one goal."""
    inside.ok("init", "--goal-id", GOAL, "--objective", "Find out", "--agent", "ann", "--agent", "bob")
    return inside


@pytest.fixture
def opened(
    inside: Loopx, clock: FakeClock, ids: SequenceIds, tokens: SequenceTokens, request: pytest.FixtureRequest
) -> Callable[..., ControlPlane]:
    """Planes on that project, under its clock; closed at the end."""

    def open_plane(agent_id: str | None = None, **more: Any) -> ControlPlane:
        more.setdefault("environment", {})
        plane = ControlPlane(inside.root, agent_id=agent_id, outside=Outside(clock, ids, tokens), **more)
        request.addfinalizer(plane.close)
        return plane

    return open_plane


# --- the same answers ---------------------------------------------------------------------


def test_what_is_read_equals_what_the_command_prints(inside: Loopx, opened: Callable[..., ControlPlane]) -> None:
    plane, person = opened("ann", goal_id=GOAL), opened(goal_id=GOAL)
    todo = plane.todos.add("[P1] Look", required_capabilities=["shell"])["todo"]["todo_id"]
    person.todos.add("May it?", role="user", task_class="user_gate", decision_scope="direction:action:x")
    goal = ("--goal-id", GOAL)
    shell = ("--available-capability", "shell")
    pairs: list[tuple[Any, tuple[str, ...]]] = [
        (plane.should_run(capabilities=["shell"]), ("quota", "should-run", *goal, "--agent-id", "ann", *shell)),
        (plane.should_run(explain=True), ("quota", "should-run", *goal, "--agent-id", "ann", "--explain")),
        (plane.todos.show(todo), ("todo", "show", todo, *goal)),
        (plane.todos.list(status="open", limit=1), ("todo", "list", *goal, "--status", "open", "--limit", "1")),
        (plane.todos.why(todo), ("todo", "why", todo, *goal, "--agent-id", "ann")),
        (plane.gates.list(), ("gate", "list", *goal)),
        (plane.leases.list(), ("task-lease", "list", *goal)),
        (plane.facts.list(), ("fact", "list", *goal)),
        (plane.inbox(), ("inbox", *goal)),
        (plane.status(), ("status", *goal)),
        (plane.goal(), ("goal", "show", *goal)),
        (plane.quota(), ("quota", "status", *goal)),
        (plane.log(limit=2), ("log", *goal, "--limit", "2")),
    ]
    for document, argv in pairs:
        assert json.loads(json.dumps(document)) == inside.ok(*argv), argv


def test_a_whole_turn_goes_through_and_every_answer_keeps_its_contract(opened: Callable[..., ControlPlane]) -> None:
    plane = opened("ann")
    todo = plane.todos.add("[P1] Parse", poll_every=None)["todo"]["todo_id"]
    assert plane.should_run(wait="1h")["should_run"] is True
    claim = plane.todos.claim_next(ttl=timedelta(minutes=3))
    assert claim["claim"] is not None
    token, lease = claim["claim"]["claim_token"], claim["claim"]["lease"]
    renewed = plane.leases.renew(lease["lease_id"], expect_version=lease["version"], ttl="10m")
    run = plane.refresh_state(todo, run_kind="work", evidence="seen", validation="make test", claim_token=token)
    spent = plane.spend(run["run"]["run_id"], tokens=12)
    done = plane.todos.complete(todo, evidence="seen", no_follow_up=True, reason="all of it", claim_token=token)
    assert done["closure"] == "completed_no_followup"
    assert plane.should_run()["interaction_contract"]["mode"] == "terminal_no_followup"
    for document in (claim, renewed, run, spent, done):
        check_document(dict(document))


def test_a_todo_is_changed_put_aside_and_replaced(opened: Callable[..., ControlPlane]) -> None:
    plane = opened("ann", goal_id=GOAL)
    first, second = (plane.todos.add(text)["todo"]["todo_id"] for text in ("one", "two"))
    plane.todos.update(first, add={"blocked_by": [second]}, priority="P0")
    changed = plane.todos.update(first, remove={"blocked_by": [second]}, add={"acceptance": ["green"]}, full=True)
    assert (changed["todo"]["priority"], changed["todo"]["blocked_by"]) == ("P0", [])
    cleared = plane.todos.update(first, clear=["acceptance"], full=True)
    assert cleared["receipt"]["event"] == "todo_updated"
    plane.todos.defer(first, resume_when="in:2h")
    plane.todos.reopen(first)
    plane.todos.block(first, blocked_by=[second], reason="needs it")
    plane.todos.claim(second, ttl="1h")
    plane.todos.reassign(second, to="bob")
    replaced = opened("bob").todos.supersede(second, reason="another way", next_agent_todo="three")
    assert replaced["moved_dependents"] == [first]


def test_a_monitor_is_polled_and_a_fact_wakes_what_waits(opened: Callable[..., ControlPlane], clock: FakeClock) -> None:
    plane = opened("ann")
    due = datetime.fromtimestamp(clock.now() / 1e6, tz=UTC) + timedelta(hours=1)
    monitor = plane.todos.add("Watch", task_class="continuous_monitor", poll_every="1h", next_due_at=due)
    clock.advance(3_600_000_000)
    polled = plane.monitors.poll(monitor["todo"]["todo_id"], changed=False, evidence="same")
    assert polled["todo"]["status"] == "open"
    sleeper = plane.todos.add("Then", status="deferred", resume_when="pr_merged:42")["todo"]["todo_id"]
    plane.facts.record("pr_merged:42", evidence="merged")
    assert plane.should_run()["selected_todo"]["todo_id"] == sleeper  # type: ignore[index]


def test_a_lease_is_taken_handed_on_and_given_back(opened: Callable[..., ControlPlane]) -> None:
    ann, bob = opened("ann"), opened("bob")
    todo = ann.todos.add("Hold me")["todo"]["todo_id"]
    lease = ann.leases.acquire(todo)["lease"]
    assert ann.leases.show(todo_id=todo)["lease"]["holder"] == "ann"
    moved = ann.leases.transfer(lease["lease_id"], to="bob", expect_version=lease["version"])["lease"]
    assert bob.leases.release(moved["lease_id"], expect_version=moved["version"])["ok"]


def test_sessions_write_to_each_other_and_hand_over(inside: Loopx, opened: Callable[..., ControlPlane]) -> None:
    ann, bob, person = opened("ann"), opened("bob"), opened()
    ann.todos.add("[P1] Go on")
    sent = ann.messages.send("bob", "yours", operation_id="op-1")
    ann.messages.send("user", "please look")
    assert [letter["text"] for letter in person.messages.inbox()["messages"]] == ["please look"]
    assert json.loads(json.dumps(bob.messages.inbox())) == inside.ok("message", "inbox", "--agent-id", "bob")
    bob.messages.ack(sent["message"]["message_id"])
    assert (bob.messages.inbox()["total"], bob.messages.inbox(with_acknowledged=True)["total"]) == (0, 1)
    shown = json.loads(json.dumps(ann.handoffs.show(to="bob")))
    assert shown == inside.ok("handoff", "show", "--agent-id", "ann", "--to", "bob")
    created = ann.handoffs.create(to="bob")
    check_document(dict(created))
    assert bob.handoffs.list()["total"] == 1


def test_a_retry_with_its_operation_id_is_answered_and_not_repeated(opened: Callable[..., ControlPlane]) -> None:
    plane = opened("ann")
    first = plane.todos.add("once", operation_id="op-1")
    again = plane.todos.add("once", operation_id="op-1")
    assert again["receipt"]["replayed"] is True
    assert again["todo"] == first["todo"]
    with pytest.raises(LoopxError, match="op-1"):
        plane.todos.add("twice", operation_id="op-1")
    assert plane.todos.list()["total"] == 1


def test_a_dry_run_writes_nothing(opened: Callable[..., ControlPlane]) -> None:
    plane = opened("ann")
    assert plane.todos.add("never", dry_run=True)["dry_run"] is True
    assert plane.todos.list()["total"] == 0


# --- who ----------------------------------------------------------------------------------


def test_an_agent_answers_no_gate_and_a_person_does(opened: Callable[..., ControlPlane]) -> None:
    agent, person = opened("ann"), opened()
    gate = person.todos.add("May it?", role="user", task_class="user_gate", global_gate=True)["todo"]["todo_id"]
    with pytest.raises(UserDecisionRequiredError):
        agent.gates.answer(gate, "approve")
    answered = person.gates.answer(gate, "approve", note="yes", standing=True)
    assert answered["todo"]["status"] == "done"
    assert person.gates.revoke(gate)["ok"]


def test_a_peer_is_named_as_the_holder(opened: Callable[..., ControlPlane]) -> None:
    todo = opened("ann").todos.add("Mine")["todo"]["todo_id"]
    opened("ann").todos.claim(todo)
    with pytest.raises(AlreadyClaimedError) as refusal:
        opened("bob").todos.claim(todo)
    assert refusal.value.details["holder"] == "ann"


def test_a_teammate_adds_nothing(opened: Callable[..., ControlPlane]) -> None:
    with pytest.raises(RoleNotAllowedError):
        opened("ann", role="teammate").todos.add("more")


def test_the_environment_names_the_agent_and_a_fixed_identity_stays(opened: Callable[..., ControlPlane]) -> None:
    fixed = {"LOOPX_AGENT_ID": "ann", "LOOPX_IDENTITY": "fixed", "LOOPX_ROLE": "teammate"}
    plane = opened(environment=fixed)
    assert (plane.agent_id, plane.role) == ("ann", "teammate")
    with pytest.raises(IdentityMismatchError):
        opened("bob", environment=fixed)
    with pytest.raises(RoleNotAllowedError):
        opened(role="lead", environment=fixed)
    assert opened(role="teammate", environment=fixed).role == "teammate"


def test_a_person_acts_on_held_work_with_a_reason_and_an_agent_never(opened: Callable[..., ControlPlane]) -> None:
    todo = opened("ann").todos.add("Held")["todo"]["todo_id"]
    opened("ann").todos.claim(todo)
    with pytest.raises(IdentityMismatchError):
        opened("bob").todos.release(todo, as_user=True, reason="mine now")
    assert opened().todos.release(todo, as_user=True, reason="she is away")["todo"]["claimed_by"] is None


def test_a_person_has_no_decision_of_an_agent(opened: Callable[..., ControlPlane]) -> None:
    with pytest.raises(LoopxError, match="needs an agent"):
        opened().should_run()


@pytest.mark.parametrize("wrong", [{"role": "boss"}, {"environment": {"LOOPX_IDENTITY": "loose"}}])
def test_a_misspelt_role_or_identity_does_not_count_as_none(
    opened: Callable[..., ControlPlane], wrong: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        opened("ann", **wrong)


# --- wrong calls --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda plane: plane.todos.add("x", prioritty="P1"),
        lambda plane: plane.todos.add("x", blocked_by="todo_0000000001"),
        lambda plane: plane.todos.add("x", task_class="user_gat"),
        lambda plane: plane.todos.claim("todo_0000000001", tll="1h"),
        lambda plane: plane.todos.claim("todo_0000000001", ttl=timedelta(0)),
        lambda plane: plane.todos.claim("todo_0000000001", ttl=timedelta(days=400)),
        lambda plane: plane.todos.update("todo_0000000001", clear=["text"]),
        lambda plane: plane.todos.update("todo_0000000001", add={"blockedby": []}),
        lambda plane: plane.todos.list(limit=0),
        lambda plane: plane.log(since=datetime(2026, 1, 1)),  # noqa: DTZ001 - without a zone on purpose
        lambda plane: plane.todos.complete("todo_0000000001", evidence="x", meets="A1"),
    ],
)
def test_a_wrong_argument_is_refused_as_usage(
    opened: Callable[..., ControlPlane], call: Callable[[ControlPlane], object]
) -> None:
    plane = opened("ann")
    plane.todos.add("there")
    with pytest.raises(UsageError):
        call(plane)


# --- opening and closing ------------------------------------------------------------------


def test_a_project_is_made_and_made_once(tmp_path: Path) -> None:
    made = create_project(tmp_path, goal_id="g", objective="o", acceptance=["a"], agents=["ann"])
    check_document(dict(made))
    with ControlPlane(tmp_path, agent_id="ann", environment={}) as plane:
        assert plane.goal()["goal"]["objective"] == "o"
        assert plane.where()["found_by"] == "option"
    with pytest.raises(AlreadyInitialisedError):
        create_project(tmp_path)


def test_no_project_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ProjectNotFoundError):
        ControlPlane(tmp_path, environment={})


def test_a_project_is_found_by_the_current_folder(
    inside: Loopx, monkeypatch: pytest.MonkeyPatch, opened: Callable[..., ControlPlane]
) -> None:
    deep = inside.root / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    with ControlPlane(environment={}) as plane:
        assert plane.status()["state"] == opened().status()["state"]


def test_a_closed_plane_says_so(opened: Callable[..., ControlPlane]) -> None:
    plane = opened("ann")
    plane.status()
    plane.close()
    plane.close()
    with pytest.raises(UsageError, match="closed"):
        plane.status()


def test_another_thread_is_refused_and_the_own_one_goes_on(opened: Callable[..., ControlPlane]) -> None:
    plane, refused = opened("ann"), list[LoopxError]()

    def ask() -> None:
        for call in (plane.status, lambda: plane.todos.add("x"), plane.close):
            try:
                call()
            except UsageError as error:
                refused.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(60)
    assert len(refused) == 3
    assert plane.status()["ok"]


def test_a_forked_child_is_refused(opened: Callable[..., ControlPlane]) -> None:
    plane = opened("ann")
    plane.status()
    child = os.fork()
    if child == 0:
        try:
            plane.status()
        except UsageError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_the_package_loads_nothing_before_it_is_asked_for() -> None:
    script = (
        "import sys, loopx; assert not [name for name in sys.modules if name.startswith('loopx.')];"
        "loopx.ControlPlane; assert 'loopx.api' in sys.modules and 'click' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
    assert loopx.LoopxError is LoopxError
    assert "ControlPlane" in dir(loopx)
    with pytest.raises(AttributeError):
        loopx.Nothing  # type: ignore[attr-defined]  # noqa: B018
