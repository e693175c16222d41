"""The teammate runtime on virtual time: who works on what, in which order, and when it stops (S4)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from loopx.app.message import read_inbox
from loopx.app.page import Page
from loopx.app.plan import PlanRequest, approve_plan, reject_plan, submit_plan
from loopx.app.project import Project
from loopx.app.shutdown import shutdown_answer
from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.app.turn import glance, take_turn
from loopx.core.errors import BusyTimeoutError, DiskFullError, TeamStateError
from loopx.core.instant import HOUR, MINUTE, SECOND
from loopx.core.worker import Ending
from loopx.store.replay import drifts, past_events, replay, table_state
from loopx.team.duty import Outcome
from loopx.team.idle import MOST_POLLS, POLL_INTERVAL, IdlePolicy
from loopx.team.protocol import MailProtocol
from loopx.team.runner import Assignment, RunResult
from loopx.team.stealing import WorkStealing
from loopx.team.worker import State, Worker, WorkerPolicy
from tests.support.fakes import FakeClock
from tests.support.project import GOAL, call, make_state, open_project
from tests.support.team import (
    TTL,
    UNTIL_IDLE,
    WELL,
    ScriptRunner,
    add,
    ask_to_end,
    completing,
    finish_as,
    make_seat,
    make_worker,
    show,
    working,
    write_to,
)
from tests.support.virtual import VirtualTime


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def time(clock: FakeClock) -> VirtualTime:
    return VirtualTime(clock)


@pytest.fixture
def project(tmp_path: Path, clock: FakeClock) -> Iterator[Project]:
    make_state(tmp_path)
    with closing(open_project(tmp_path, clock=clock)) as project:
        yield project


def outcomes(worker: Worker) -> list[Outcome]:
    return [record.outcome for record in worker.records]


def events(project: Project, action: str) -> list[str]:
    sql = "SELECT todo_id FROM events WHERE action = ? ORDER BY sequence"
    return project.read(lambda snapshot: [row[0] for row in snapshot.db.execute(sql, (action,))])


def unread(project: Project, owner: str) -> list[str]:
    return [row["kind"] for row in read_inbox(project, GOAL, owner, Page())["messages"]]


# --- the scenario of S4.8 ---------------------------------------------------------------


def test_a_and_b_go_to_two_teammates_and_c_to_exactly_one_once_both_are_done(
    project: Project, time: VirtualTime
) -> None:
    a, b = add(project, "A"), add(project, "B")
    c = add(project, "C", a, b)
    seen: dict[str, tuple[str, set[str]]] = {}

    async def deed(assignment: Assignment) -> RunResult:
        assert assignment.todo_id is not None
        done = {todo for todo in (a, b) if show(project, todo)["status"] == "done"}
        seen[assignment.todo_id] = (assignment.agent_id, done)
        await time.sleep(MINUTE if assignment.todo_id == a else 2 * MINUTE)
        finish_as(project, assignment)
        return WELL

    runners = [ScriptRunner(deed), ScriptRunner(deed)]
    workers = [make_worker(project, name, runner, time) for name, runner in zip(("ann", "bob"), runners, strict=True)]
    assert time.run(*(worker.run() for worker in workers)) == [Ending.IDLE, Ending.IDLE]
    assert seen[a][0] != seen[b][0]
    assert seen[c][1] == {a, b}
    given = Counter(assignment.todo_id for runner in runners for assignment in runner.given)
    assert given == {a: 1, b: 1, c: 1}
    assert events(project, "todo_completed")[-1] == c


def test_one_finished_dependency_does_not_open_the_task(project: Project, time: VirtualTime) -> None:
    a, b = add(project, "A"), add(project, "B", bound_agent="cy")
    c = add(project, "C", a, b)
    worker = make_worker(project, "ann", ScriptRunner(completing(project)), time)
    time.run(worker.run())
    assert show(project, a)["status"] == "done"
    assert show(project, c)["status"] == "open"
    assert events(project, "todo_claimed_next") == [a]


def test_a_shutdown_that_was_delivered_leaves_the_task_pending(project: Project, time: VirtualTime) -> None:
    todo = add(project, "work")
    request = ask_to_end(project, "ann")
    runner = ScriptRunner()
    worker = make_worker(project, "ann", runner, time, WorkerPolicy())
    assert time.run(worker.run()) == [Ending.SHUTDOWN]
    assert events(project, "todo_claimed_next") == []
    assert (show(project, todo)["status"], show(project, todo)["lease"]) == ("open", None)
    assert runner.given == []  # a request never reaches the model
    answer = shutdown_answer(project, request)
    assert answer is not None


def test_a_shutdown_that_arrives_between_the_look_and_the_transaction_wins(
    project: Project, time: VirtualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(project, "work")

    def glance_then_mail(*arguments: object, **more: object) -> object:
        seen = glance(*arguments, **more)  # type: ignore[arg-type]
        if not unread(project, "ann"):
            ask_to_end(project, "ann")
        return seen

    monkeypatch.setattr("loopx.team.worker.glance", glance_then_mail)
    worker = make_worker(project, "ann", ScriptRunner(), time, WorkerPolicy())
    assert time.run(worker.run()) == [Ending.SHUTDOWN]
    assert events(project, "todo_claimed_next") == []


def test_work_in_hand_is_finished_before_a_shutdown(project: Project, time: VirtualTime) -> None:
    first, second = add(project, "one"), add(project, "two")

    async def deed(assignment: Assignment) -> RunResult:
        ask_to_end(project, "ann")
        await time.sleep(MINUTE)
        finish_as(project, assignment)
        return WELL

    worker = make_worker(project, "ann", ScriptRunner(deed), time, WorkerPolicy())
    assert time.run(worker.run()) == [Ending.SHUTDOWN]
    assert show(project, first)["status"] == "done"
    assert show(project, second)["lease"] is None


# --- plans ------------------------------------------------------------------------------


def plan_of(project: Project, agent: str = "ann") -> str:
    return str(submit_plan(project, call("plan_submitted", agent), PlanRequest("like this"))["plan"]["plan_id"])


@pytest.mark.parametrize("answer", [None, reject_plan])
def test_under_a_plan_that_is_not_approved_the_store_sees_no_write(
    tmp_path: Path, project: Project, time: VirtualTime, answer: object
) -> None:
    add(project, "work")
    plan = plan_of(project)
    if answer is not None:
        reject_plan(project, call("plan_rejected"), plan)
        time.run(make_worker(project, "ann", ScriptRunner(), time).run())  # which takes the typed answer in
    files = {name: (tmp_path / ".loopx" / name).read_bytes() for name in ("loopx.db", "loopx.db-wal")}
    worker = make_worker(project, "ann", ScriptRunner(), time)
    assert time.run(worker.run()) == [Ending.IDLE]
    assert files == {name: (tmp_path / ".loopx" / name).read_bytes() for name in files}


def test_an_approval_opens_the_gate_before_the_next_claim(project: Project, time: VirtualTime) -> None:
    todo = add(project, "work")
    plan = plan_of(project)
    runner = ScriptRunner(completing(project))
    worker = make_worker(project, "ann", runner, time)

    async def person() -> None:
        await time.sleep(7 * SECOND)
        assert runner.given == []
        approve_plan(project, call("plan_approved"), plan)

    time.run(worker.run(), person())
    assert [assignment.todo_id for assignment in runner.given] == [todo]
    assert unread(project, "ann") == []  # the typed answer was taken in, and read by no model


def test_words_reach_an_agent_whose_plan_was_rejected(project: Project, time: VirtualTime) -> None:
    """Or there would be no way back: a rejection by itself is not read by the model."""
    reject_plan(project, call("plan_rejected"), plan_of(project))
    write_to(project, "ann", "smaller steps, please")
    runner = ScriptRunner()
    time.run(make_worker(project, "ann", runner, time).run())
    (assignment,) = runner.given
    assert "smaller steps" in assignment.message


# --- mail -------------------------------------------------------------------------------


def test_mail_comes_before_work_and_only_its_words_reach_the_runner(project: Project, time: VirtualTime) -> None:
    todo = add(project, "work")
    message = write_to(project, "ann", "read </team-message> this", sender="bob")
    runner = ScriptRunner(completing(project))
    time.run(make_worker(project, "ann", runner, time).run())
    assert [assignment.message_id for assignment in runner.given] == [message, None]
    assert [assignment.todo_id for assignment in runner.given] == [None, todo]
    assert runner.given[0].message.count("</team-message>") == 1
    assert runner.given[0].run_id == message
    assert unread(project, "ann") == []


def test_a_message_whose_worker_was_stopped_comes_again_under_the_same_id(project: Project, time: VirtualTime) -> None:
    message = write_to(project, "ann")

    async def deed(assignment: Assignment) -> RunResult:
        worker.stop()
        await assignment.cancel.wait()
        return WELL

    worker = make_worker(project, "ann", ScriptRunner(deed), time)
    assert time.run(worker.run()) == [Ending.STOPPED]
    again = ScriptRunner()
    time.run(make_worker(project, "ann", again, time).run())
    assert [assignment.message_id for assignment in again.given] == [message]


def test_the_final_text_goes_to_the_lead_and_completes_nothing(project: Project, time: VirtualTime) -> None:
    todo = add(project, "work")
    worker = make_worker(project, "ann", ScriptRunner(), time, lead="bob")
    time.run(worker.run())
    (row,) = read_inbox(project, GOAL, "bob", Page())["messages"]
    assert (row["kind"], row["text"], row["todo_id"], row["sender"]) == ("report", "said", todo, "ann")
    assert outcomes(worker) == [Outcome.NOT_COMPLETED]
    assert show(project, todo)["status"] == "open"


def test_a_message_wakes_an_idle_worker_at_once(project: Project, time: VirtualTime, clock: FakeClock) -> None:
    read_at: list[int] = []

    async def deed(_assignment: Assignment) -> RunResult:
        read_at.append(clock.now())
        return WELL

    async def peer() -> int:
        await time.sleep(SECOND)
        write_to(project, "ann")
        return clock.now()

    worker = make_worker(
        project, "ann", ScriptRunner(deed), time, replace(UNTIL_IDLE, idle=IdlePolicy(interval=MINUTE, most_polls=1))
    )
    _, sent_at = time.run(worker.run(), peer())
    assert read_at[0] - sent_at <= SECOND


def test_a_task_that_becomes_ready_wakes_an_idle_worker(project: Project, time: VirtualTime, clock: FakeClock) -> None:
    async def peer() -> int:
        await time.sleep(2 * SECOND)
        add(project, "late")
        return clock.now()

    worker = make_worker(project, "ann", ScriptRunner(completing(project)), time)
    _, added_at = time.run(worker.run(), peer())
    assert outcomes(worker) == [Outcome.COMPLETED]
    claimed = project.read(
        lambda snapshot: snapshot.db.execute("SELECT at FROM events WHERE action = 'todo_claimed_next'").fetchone()[0]
    )
    assert claimed - added_at < POLL_INTERVAL


def test_a_deferred_task_is_taken_when_its_time_comes_though_nothing_is_written(
    project: Project, time: VirtualTime
) -> None:
    from loopx.core.todo import Status

    todo = add(project, "later", status=Status.DEFERRED, resume_when="in:5m")
    worker = make_worker(project, "ann", ScriptRunner(completing(project)), time, WorkerPolicy(max_tasks=1))
    assert time.run(worker.run()) == [Ending.TASKS]
    assert show(project, todo)["status"] == "done"


# --- idle -------------------------------------------------------------------------------


def test_an_idle_timeout_is_seen_counted_and_invents_nothing(
    project: Project, time: VirtualTime, clock: FakeClock
) -> None:
    began = clock.now()
    worker = make_worker(project, "ann", ScriptRunner(), time, WorkerPolicy(), lead="bob")

    async def watcher() -> tuple[State, int, bool]:
        await worker.wait_for_idle_timeout()
        seen = (worker.state, worker.idle_timeouts, worker.is_waiting)
        worker.stop()
        return seen

    ending, seen = time.run(worker.run(), watcher())
    assert seen == (State.IDLE, 1, True)
    assert clock.now() - began == POLL_INTERVAL * MOST_POLLS
    assert ending is Ending.STOPPED
    assert unread(project, "bob") == []  # no shutdown, no answer, no summary
    assert unread(project, "user") == []


def test_an_idle_worker_goes_on_after_its_timeout_when_something_changes(project: Project, time: VirtualTime) -> None:
    async def peer() -> None:
        await worker.wait_for_idle_timeout()
        await time.sleep(3 * MINUTE)
        add(project, "late")

    worker = make_worker(project, "ann", ScriptRunner(completing(project)), time, WorkerPolicy(max_tasks=1))
    assert time.run(worker.run(), peer())[0] is Ending.TASKS
    assert worker.idle_timeouts >= 1


def test_changes_that_bring_no_work_do_not_put_off_the_idle_timeout(
    project: Project, time: VirtualTime, clock: FakeClock
) -> None:
    began = clock.now()

    async def busy_peers() -> None:
        for _ in range(20):
            await time.sleep(SECOND)
            write_to(project, "bob")

    worker = make_worker(project, "ann", ScriptRunner(), time)
    time.run(worker.run(), busy_peers())
    assert clock.now() - began <= POLL_INTERVAL * MOST_POLLS + SECOND


def test_an_idle_worker_writes_nothing(tmp_path: Path, project: Project, time: VirtualTime) -> None:
    add(project, "for another", bound_agent="cy")
    before = (tmp_path / ".loopx" / "loopx.db-wal").read_bytes()
    time.run(make_worker(project, "ann", ScriptRunner(), time).run())
    assert (tmp_path / ".loopx" / "loopx.db-wal").read_bytes() == before


# --- leases -----------------------------------------------------------------------------


def test_the_lease_is_kept_alive_for_as_long_as_the_run_takes(project: Project, time: VirtualTime) -> None:
    todo = add(project, "long")
    worker = make_worker(project, "ann", ScriptRunner(working(project, time, 10 * TTL)), time)
    time.run(worker.run())
    assert outcomes(worker) == [Outcome.COMPLETED]
    assert show(project, todo)["attempts"] == 0
    assert len(events(project, "lease_renewed")) == 30 - 1  # every third of its time


def test_a_run_that_completes_nothing_leaves_its_lease_to_run_out(
    project: Project, time: VirtualTime, clock: FakeClock
) -> None:
    todo = add(project, "work")
    worker = make_worker(project, "ann", ScriptRunner(), time, WorkerPolicy(once=True))
    time.run(worker.run())
    assert show(project, todo)["lease"] is not None
    clock.advance(TTL)
    other = make_worker(project, "bob", ScriptRunner(completing(project)), time, WorkerPolicy(once=True))
    time.run(other.run())
    assert outcomes(other) == [Outcome.COMPLETED]


def test_a_run_whose_work_was_settled_by_others_is_stopped_and_its_result_kept_as_a_note(
    project: Project, time: VirtualTime
) -> None:
    todo = add(project, "work")
    stopped: list[bool] = []

    async def deed(assignment: Assignment) -> RunResult:
        await assignment.cancel.wait()
        stopped.append(True)
        return RunResult(succeeded=True, text="half of it")

    async def lead() -> None:
        await time.sleep(SECOND)
        ask = call("todo_superseded", as_user=True, reason="another way")
        supersede_todo(project, ask, todo, Replacement(none=True))

    worker = make_worker(project, "ann", ScriptRunner(deed), time, lead="bob")
    time.run(worker.run(), lead())
    assert stopped == [True]
    assert outcomes(worker) == [Outcome.LOST]
    assert show(project, todo)["closure"] == "superseded"
    assert show(project, todo)["attempt_notes"] == 1


def test_a_worker_that_cannot_renew_stops_when_its_lease_is_over(
    project: Project, time: VirtualTime, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo, began = add(project, "work"), clock.now()

    def full(*_arguments: object) -> int:
        raise DiskFullError("no room")

    monkeypatch.setattr(WorkStealing, "renew", full)

    async def deed(assignment: Assignment) -> RunResult:
        await assignment.cancel.wait()
        assert TTL <= clock.now() - began <= TTL + TTL // 3
        return WELL

    worker = make_worker(project, "ann", ScriptRunner(deed), time, WorkerPolicy(once=True))
    time.run(worker.run())
    assert outcomes(worker) == [Outcome.LOST]
    assert show(project, todo)["status"] == "open"


def test_a_run_that_does_not_stop_when_asked_is_ended_after_the_grace(
    project: Project, time: VirtualTime, clock: FakeClock
) -> None:
    add(project, "work")
    gone: list[int] = []

    async def deaf(_assignment: Assignment) -> RunResult:
        try:
            await time.sleep(HOUR)
        finally:
            gone.append(clock.now())
        return WELL

    policy = WorkerPolicy(once=True, timeout=MINUTE, grace=10 * SECOND)
    worker = make_worker(project, "ann", ScriptRunner(deaf), time, policy)
    began = clock.now()
    time.run(worker.run())
    assert outcomes(worker) == [Outcome.TIMED_OUT]
    assert MINUTE <= gone[0] - began <= MINUTE + 15 * SECOND


def test_a_stopped_worker_gives_its_task_back_at_once(project: Project, time: VirtualTime) -> None:
    todo = add(project, "work")

    async def deed(assignment: Assignment) -> RunResult:
        worker.stop()
        await assignment.cancel.wait()
        return RunResult(succeeded=False)

    worker = make_worker(project, "ann", ScriptRunner(deed), time)
    assert time.run(worker.run()) == [Ending.STOPPED]
    assert outcomes(worker) == [Outcome.RELEASED]
    assert (show(project, todo)["lease"], show(project, todo)["claimed_by"]) == (None, None)


def test_a_stopped_worker_may_still_finish_within_the_grace(project: Project, time: VirtualTime) -> None:
    async def deed(assignment: Assignment) -> RunResult:
        worker.stop()
        await time.sleep(5 * SECOND)
        finish_as(project, assignment)
        return WELL

    add(project, "work")
    worker = make_worker(project, "ann", ScriptRunner(deed), time)
    time.run(worker.run())
    assert outcomes(worker) == [Outcome.COMPLETED]


def test_a_runner_that_breaks_gives_its_task_back(project: Project, time: VirtualTime) -> None:
    async def broken(_assignment: Assignment) -> RunResult:
        raise ZeroDivisionError

    todo = add(project, "work")
    worker = make_worker(project, "ann", ScriptRunner(broken), time)
    with pytest.raises(ZeroDivisionError):
        time.run(worker.run())
    assert show(project, todo)["lease"] is None
    assert worker.state is State.ENDED


# --- completion and account -------------------------------------------------------------


def test_success_completes_only_where_that_was_asked_for(project: Project, time: VirtualTime) -> None:
    add(project, "one")
    worker = make_worker(project, "ann", ScriptRunner(), time, WorkerPolicy(once=True, complete_on_success=True))
    time.run(worker.run())
    assert outcomes(worker) == [Outcome.COMPLETED]


def test_a_failed_run_completes_nothing_even_then(project: Project, time: VirtualTime) -> None:
    async def fails(_assignment: Assignment) -> RunResult:
        return RunResult(succeeded=False, summary="exit 3")

    todo = add(project, "one")
    worker = make_worker(project, "ann", ScriptRunner(fails), time, WorkerPolicy(once=True, complete_on_success=True))
    time.run(worker.run())
    assert outcomes(worker) == [Outcome.FAILED]
    assert show(project, todo)["status"] == "open"


def test_the_todos_own_check_has_the_last_word(project: Project, time: VirtualTime) -> None:
    add(project, "one", validation_argv=("false",))
    worker = make_worker(project, "ann", ScriptRunner(), time, WorkerPolicy(once=True, complete_on_success=True))

    asyncio.run(worker.run())  # a check runs in real time
    assert outcomes(worker) == [Outcome.REFUSED]


def test_completed_work_is_written_back_and_spent_once(project: Project, time: VirtualTime) -> None:
    add(project, "one"), add(project, "two")
    time.run(make_worker(project, "ann", ScriptRunner(completing(project)), time).run())
    assert len(events(project, "run_recorded")) == len(events(project, "slot_spent")) == 2


def test_work_that_its_agent_has_spent_itself_is_not_spent_again(project: Project, time: VirtualTime) -> None:
    from loopx.team.account import book

    async def deed(assignment: Assignment) -> RunResult:
        finish_as(project, assignment)
        assert assignment.todo_id is not None
        assert book(make_seat(project, "ann"), assignment.todo_id, WELL, "seen", 1.0) is None
        return WELL

    add(project, "one")
    time.run(make_worker(project, "ann", ScriptRunner(deed), time).run())
    assert len(events(project, "slot_spent")) == 1


def test_a_worker_stops_when_the_budget_is_used(tmp_path: Path, project: Project, time: VirtualTime) -> None:
    registry = tmp_path / ".loopx" / "registry.yaml"
    text = registry.read_text().replace(
        "    state: active\n", "    state: active\n    quota: {slots: 1, window: 24h}\n"
    )
    registry.write_text(text, encoding="utf-8")
    add(project, "one"), add(project, "two")
    worker = make_worker(project, "ann", ScriptRunner(completing(project)), time, WorkerPolicy())
    assert time.run(worker.run()) == [Ending.BUDGET]
    assert outcomes(worker) == [Outcome.COMPLETED]


# --- composition ------------------------------------------------------------------------


def test_work_stealing_comes_after_the_protocol_and_before_the_start_and_once(
    project: Project, time: VirtualTime
) -> None:
    seat = make_seat(project, "ann")
    worker = Worker(seat, ScriptRunner(), UNTIL_IDLE, sleeper=time)
    with pytest.raises(TeamStateError):
        worker.configure_work_stealing(WorkStealing(seat))
    with pytest.raises(TeamStateError):
        time.run(worker.run())
    worker.configure_protocol(MailProtocol(seat))
    with pytest.raises(TeamStateError):
        worker.configure_protocol(MailProtocol(seat))
    worker.configure_work_stealing(WorkStealing(seat))
    with pytest.raises(TeamStateError):
        worker.configure_work_stealing(WorkStealing(seat))
    time.run(worker.run())
    with pytest.raises(TeamStateError):
        worker.configure_work_stealing(WorkStealing(seat))
    with pytest.raises(TeamStateError):
        time.run(worker.run())


def test_mail_and_claims_are_of_one_store(project: Project, time: VirtualTime) -> None:
    worker = Worker(make_seat(project, "ann"), ScriptRunner(), UNTIL_IDLE, sleeper=time)
    with pytest.raises(TeamStateError):
        worker.configure_protocol(MailProtocol(make_seat(project, "bob")))


def test_nothing_is_left_running_however_a_worker_ends(project: Project, time: VirtualTime) -> None:
    add(project, "work")

    async def counted() -> int:
        worker = make_worker(project, "ann", ScriptRunner(working(project, time, MINUTE)), time)
        await worker.run()
        return len(asyncio.all_tasks())

    tasks = time.run(counted())
    assert tasks == [2]  # itself, and the one that moves the clock


def test_a_busy_store_is_asked_again(project: Project, time: VirtualTime, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = [True, True]

    def sometimes(*arguments: object) -> object:
        if busy:
            busy.pop()
            raise BusyTimeoutError("held")
        return take_turn(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("loopx.team.worker.take_turn", sometimes)
    add(project, "work")
    worker = make_worker(project, "ann", ScriptRunner(completing(project)), time)
    assert time.run(worker.run()) == [Ending.IDLE]
    assert outcomes(worker) == [Outcome.COMPLETED]


def test_many_workers_share_one_process_and_the_history_gives_the_tables(project: Project, time: VirtualTime) -> None:
    todos = [add(project, f"piece {number}") for number in range(9)]
    last = add(project, "last", *todos)
    workers = [
        make_worker(project, name, ScriptRunner(working(project, time, MINUTE)), time) for name in ("ann", "bob", "cy")
    ]
    time.run(*(worker.run() for worker in workers))
    done = events(project, "todo_completed")
    assert sorted(done) == sorted([*todos, last])
    assert done[-1] == last
    assert all(worker.records for worker in workers)
    assert project.read(lambda snapshot: drifts(replay(past_events(snapshot.db)), table_state(snapshot.db))) == []
