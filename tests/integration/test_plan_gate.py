"""A plan that waits for its answer, or was rejected, keeps its agent from starting anything, at every door (S4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loopx.app.claim_next import Wish, claim_next
from loopx.app.lease import LeaseRequest, acquire_lease
from loopx.app.message import read_inbox
from loopx.app.page import Page
from loopx.app.plan import PlanRequest, approve_plan, reject_plan, show_plan, submit_plan
from loopx.app.project import Project
from loopx.app.worker import Enrolment, start_worker
from loopx.core.errors import (
    ActorRequiredError,
    AlreadyDoneError,
    PlanNotApprovedError,
    PlanNotFoundError,
    RecipientNotFoundError,
    RoleNotAllowedError,
    UsageError,
    UserDecisionRequiredError,
    VersionConflictError,
)
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.project import GOAL, call, make_state, open_project
from tests.support.team import add

Answer = Callable[..., dict[str, object]]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    make_state(tmp_path)
    with closing(open_project(tmp_path)) as project:
        yield project


def submit(project: Project, agent: str | None = "ann", text: str = "first this", to: str | None = None) -> str:
    return str(submit_plan(project, call("plan_submitted", agent), PlanRequest(text, to))["plan"]["plan_id"])


def claim(project: Project, agent: str = "ann") -> object:
    return claim_next(project, call("todo_claimed_next", agent), Wish())["claim"]


def acquire(project: Project, todo: str, agent: str = "ann") -> None:
    acquire_lease(project, call("lease_acquired", agent), LeaseRequest(todo))


def kinds(project: Project, owner: str) -> list[tuple[str, str | None]]:
    rows = read_inbox(project, GOAL, owner, Page())["messages"]
    return [(row["kind"], row["request_id"]) for row in rows]


def test_without_a_plan_nothing_is_held(project: Project) -> None:
    add(project, "work")
    assert claim(project) is not None


def test_a_pending_plan_closes_every_door_to_a_lease_and_only_for_its_agent(project: Project) -> None:
    todo = add(project, "work")
    submit(project)
    with pytest.raises(PlanNotApprovedError):
        claim(project)
    with pytest.raises(PlanNotApprovedError):
        acquire(project, todo)
    assert claim(project, "bob") is not None


def test_an_approval_opens_the_gate_and_tells_the_agent(project: Project) -> None:
    add(project, "work")
    plan = submit(project)
    assert kinds(project, "user") == [("plan_submitted", plan)]
    answered = approve_plan(project, call("plan_approved"), plan, "go on")
    assert answered["plan"]["status"] == "approved"
    assert kinds(project, "ann") == [("plan_approved", plan)]
    assert claim(project) is not None


def test_a_rejection_holds_until_another_plan_is_approved(project: Project) -> None:
    add(project, "work")
    reject_plan(project, call("plan_rejected"), submit(project), "too much at once")
    with pytest.raises(PlanNotApprovedError, match="rejected"):
        claim(project)
    better = submit(project, text="less")
    with pytest.raises(PlanNotApprovedError, match="pending"):
        claim(project)
    approve_plan(project, call("plan_approved"), better)
    assert claim(project) is not None


def test_the_newest_plan_decides_and_takes_the_place_of_one_that_waits(project: Project) -> None:
    old = submit(project)
    new = submit(project, text="another way")
    assert show_plan(project, GOAL, plan_id=old)["plan"]["status"] == "replaced"
    assert show_plan(project, GOAL, agent_id="ann")["plan"]["plan_id"] == new
    with pytest.raises(VersionConflictError):
        approve_plan(project, call("plan_approved"), old)


@pytest.mark.parametrize("first", [approve_plan, reject_plan])
@pytest.mark.parametrize("second", [approve_plan, reject_plan])
def test_a_plan_is_answered_once(project: Project, first: Answer, second: Answer) -> None:
    plan = submit(project)
    first(project, call("plan_approved"), plan)
    with pytest.raises(AlreadyDoneError):
        second(project, call("plan_rejected"), plan)


def test_nobody_approves_its_own_plan(project: Project) -> None:
    with pytest.raises(UsageError):
        submit(project, to="ann")
    plan = submit(project, to="bob")
    for other in ("ann", "cy"):
        with pytest.raises(RoleNotAllowedError):
            approve_plan(project, call("plan_approved", other), plan)
    approve_plan(project, call("plan_approved", "bob"), plan)


def test_a_plan_for_a_person_is_answered_by_no_agent(project: Project) -> None:
    plan = submit(project)
    with pytest.raises(UserDecisionRequiredError):
        approve_plan(project, call("plan_approved", "bob"), plan)


def test_a_person_may_answer_in_the_place_of_a_reviewer(project: Project) -> None:
    plan = submit(project, to="bob")
    approve_plan(project, call("plan_approved"), plan)


def test_a_teammate_answers_no_plan(project: Project) -> None:
    plan = submit(project, to="bob")
    with pytest.raises(RoleNotAllowedError):
        approve_plan(project, call("plan_approved", "bob", role="teammate"), plan)


def test_the_lead_of_the_worker_is_the_reviewer_where_none_is_named(project: Project) -> None:
    start_worker(project, call("worker_started", "ann"), Enrolment("teammate", "sh", "bob"))
    plan = submit(project)
    assert show_plan(project, GOAL, plan_id=plan)["plan"]["reviewer"] == "bob"


def test_a_plan_is_an_agents_and_goes_to_somebody(project: Project) -> None:
    with pytest.raises(ActorRequiredError):
        submit(project, None)
    with pytest.raises(RecipientNotFoundError):
        submit(project, to="zoe")
    with pytest.raises(PlanNotFoundError):
        approve_plan(project, call("plan_approved"), "plan_zzzzzzzzzz")
    with pytest.raises(PlanNotFoundError):
        show_plan(project, GOAL, agent_id="bob")
    with pytest.raises(UsageError):
        show_plan(project, GOAL)


def test_the_history_of_plans_and_workers_gives_the_tables(project: Project) -> None:
    start_worker(project, call("worker_started", "ann"), Enrolment("teammate", "sh"))
    submit(project)
    reject_plan(project, call("plan_rejected"), submit(project), "no")
    assert project.read(lambda snapshot: drifts(replay(past_events(snapshot.db)), table_state(snapshot.db))) == []
