"""Workers that are killed at moments nobody chose: each task is finished once, or can be claimed again (S4.9).

The soak profile runs 50 workers on 2,000 tasks; the suite a slice of it with a fixed seed.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import partial

from hypothesis import settings

from loopx.app.todo_add import add_todo
from loopx.app.todo_new import NewTodo
from loopx.store.events import select_events
from tests.support.cli import Loopx, Running
from tests.support.processes import until
from tests.support.project import call, opened

SOAKS = settings().max_examples > 1_000
WORKERS, TASKS, KILLS = (50, 2_000, 200) if SOAKS else (5, 40, 8)
PATIENCE_SECONDS = 3_600 if SOAKS else 120
LEASE = "2s"


def names() -> list[str]:
    return [f"w{number}" for number in range(WORKERS)]


def begin(lab: Loopx, draw: random.Random) -> None:
    """A goal with all workers, and tasks of which many wait for earlier ones."""
    agents = [word for name in names() for word in ("--agent", name)]
    lab.ok("init", "--goal-id", "lab", "--objective", "Find out", *agents)
    known: list[str] = []
    with opened(lab.root) as project:
        for number in range(TASKS):
            edges = tuple(draw.sample(known[-20:], min(len(known), draw.choice((0, 0, 1, 2)))))
            added = add_todo(project, call("todo_added"), NewTodo(text=f"task {number}", blocked_by=edges))
            known.append(added["todo"]["todo_id"])


def start(lab: Loopx, name: str) -> Running:
    return lab.start(
        "worker", "run", "--agent-id", name, "--exec", "true", "--complete-on-success", "--lease-ttl", LEASE,
        "--poll-interval", "200ms",
    )  # fmt: skip


def has_come_to(lab: Loopx, number: int) -> bool:
    """Whether that many tasks are finished."""
    (goal,) = lab.call("status").json["goals"]
    return int(goal["counts"]["closed"]) >= number


def test_each_task_is_finished_once_however_often_workers_are_killed(loopx: Loopx) -> None:
    draw = random.Random(20_261)
    begin(loopx, draw)
    running = {name: start(loopx, name) for name in names()}
    try:
        for kill in range(KILLS):
            enough = kill * TASKS // (2 * KILLS)
            until(partial(has_come_to, loopx, enough), PATIENCE_SECONDS)
            name = draw.choice(names())
            running[name].process.kill()
            running[name].process.communicate()
            running[name] = start(loopx, name)  # the same name again, beside the dead one's lease
        until(partial(has_come_to, loopx, TASKS), PATIENCE_SECONDS)
    finally:
        for worker in running.values():
            worker.process.kill()
            worker.process.communicate()
    with opened(loopx.root) as project:
        events = project.store.read(lambda db: select_events(db, "WHERE action = ?", ("todo_completed",)))
    finished = Counter(event[6] for event in events)
    assert len(finished) == TASKS
    assert set(finished.values()) == {1}
    assert loopx.call("doctor").json["healthy"] is True
