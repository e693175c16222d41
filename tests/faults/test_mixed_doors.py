"""Two winners: whatever the number of processes and the doors they come through, each todo gets one holder (S4.9).

The processes are spawned once and call the command's own `main`; a barrier lets a round begin together. The soak
profile does every size on a thousand todos.
"""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import settings

from loopx.cli.root import main
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.cli import Loopx, _inside, _written
from tests.support.project import GOAL, make_team, open_project, seeded

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from threading import Barrier

SIZES = (2, 4, 8, 16, 32)
TEAM = tuple(f"w{number}" for number in range(max(SIZES)))
DOORS = ("claim", "claim-next", "acquire")
PATIENCE_SECONDS = 240.0  # a process that hangs must fail its test, not the suite
SOAKS = settings().max_examples > 1_000
CROWDS = [(size, 1_000) for size in SIZES] if SOAKS else [(4, 60), (8, 60)]
LOST = {"already_claimed", "lease_conflict"}


class Round(NamedTuple):
    """What one process got, which refusals it met, and what it wrote to the error stream."""

    won: list[str]
    codes: Counter[str]
    errors: str


class Crowd:
    """Spawned processes; number n is agent `w{n}` and takes door n of three."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._barriers = {size: spawn.Barrier(size) for size in SIZES}
        self._ends: list[Connection] = []
        self._processes = []
        for number in range(max(SIZES)):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=_serve, args=(theirs, number, self._barriers), daemon=True)
            process.start()
            theirs.close()
            self._ends.append(ours)
            self._processes.append(process)

    def rush(self, root: Path, todos: list[str], size: int) -> list[Round]:
        """All of them go for all of these todos at the same time."""
        for end in self._ends[:size]:
            end.send((str(root), todos, size))
        for end in self._ends[:size]:
            assert end.poll(PATIENCE_SECONDS), "a process hangs"
        return [end.recv() for end in self._ends[:size]]

    def dismiss(self) -> None:
        for end in self._ends:
            end.close()
        for process in self._processes:
            process.join(PATIENCE_SECONDS)
            process.kill()


@pytest.fixture(scope="module")
def crowd() -> Iterator[Crowd]:
    crowd = Crowd()
    yield crowd
    crowd.dismiss()


@pytest.mark.parametrize("size", SIZES)
def test_one_todo_has_one_winner_among_processes_at_mixed_doors(tmp_path: Path, crowd: Crowd, size: int) -> None:
    make_team(tmp_path, TEAM)
    for _ in range(3):
        (todo,) = seeded(tmp_path, 1)
        rounds = crowd.rush(tmp_path, [todo], size)
        assert [one for done in rounds for one in done.won] == [todo], rounds
        _nobody_saw_a_fault(rounds)
        _finish(tmp_path, todo)  # so that claim-next of the next round finds only the next todo
    _sound(tmp_path)


@pytest.mark.parametrize(("size", "count"), CROWDS)
def test_each_of_many_todos_has_one_winner_and_none_is_lost(
    tmp_path: Path, crowd: Crowd, size: int, count: int
) -> None:
    make_team(tmp_path, TEAM)
    todos = seeded(tmp_path, count)
    rounds = crowd.rush(tmp_path, todos, size)
    won = Counter(todo for done in rounds for todo in done.won)
    assert won == Counter(todos), [todo for todo, times in won.items() if times > 1]
    _nobody_saw_a_fault(rounds)
    _sound(tmp_path)


def test_real_processes_at_mixed_doors_have_one_winner(tmp_path: Path) -> None:
    make_team(tmp_path, TEAM)
    (todo,) = seeded(tmp_path, 1)
    loopx = Loopx(tmp_path)
    running = [loopx.start(*_argv(DOORS[number % 3], todo, TEAM[number])) for number in range(6)]
    answers = [process.answer() for process in running]
    assert sum(_is_won(answer.code, answer.json) for answer in answers) == 1, [str(answer) for answer in answers]
    assert all(answer.code in (0, 4) and "Traceback" not in answer.err for answer in answers)
    _sound(tmp_path)


def _nobody_saw_a_fault(rounds: list[Round]) -> None:
    codes: Counter[str] = sum((done.codes for done in rounds), Counter())
    assert set(codes) <= LOST, codes
    assert not any(done.errors for done in rounds), [done.errors for done in rounds if done.errors]


def _finish(root: Path, todo: str) -> None:
    argv = ("todo", "complete", todo, "--goal-id", GOAL, "--as-user", "--reason", "over", "--evidence", "won")
    Loopx(root, in_process=True).ok(*argv, "--no-follow-up")


def _sound(root: Path) -> None:
    """The database is whole, and the history gives the tables."""
    with closing(open_project(root)) as project:
        project.read(lambda snapshot: _agrees(snapshot.db))


def _agrees(db: Any) -> None:
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert drifts(replay(past_events(db)), table_state(db)) == []


# --- in the processes ----------------------------------------------------------------------


def _serve(orders: Connection, number: int, barriers: dict[int, Barrier]) -> None:
    door, agent = DOORS[number % 3], TEAM[number]
    while True:
        try:
            root, todos, size = orders.recv()
        except EOFError:
            return
        barriers[size].wait(PATIENCE_SECONDS)
        done = Round([], Counter(), "")
        for todo in todos[number % len(todos) :] + todos[: number % len(todos)]:
            done = _try(done, root, door, todo, agent)
        orders.send(done)


def _try(done: Round, root: str, door: str, todo: str, agent: str) -> Round:
    with _inside(Path(root), None, None) as (out, err):
        code = main(["--format", "json", *_argv(door, todo, agent)])
    document = json.loads(_written(out))
    if _is_won(code, document):
        done.won.append(document["claim"]["task"]["id"] if door == "claim-next" else todo)
    elif code != 0:
        done.codes[document["error"]["code"]] += 1
    return done._replace(errors=done.errors + _written(err))


def _argv(door: str, todo: str, agent: str) -> tuple[str, ...]:
    return {
        "claim": ("todo", "claim", todo, "--goal-id", GOAL, "--claimed-by", agent),
        "claim-next": ("todo", "claim-next", "--goal-id", GOAL, "--agent-id", agent),
        "acquire": ("task-lease", "acquire", "--todo-id", todo, "--goal-id", GOAL, "--agent-id", agent),
    }[door]


def _is_won(code: int, document: dict[str, Any]) -> bool:
    return code == 0 and document.get("claim", document) is not None
