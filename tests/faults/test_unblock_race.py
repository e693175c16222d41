"""Unblock race: a dependency is added while its target completes; the dependent is right either way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.store.recount import miscounts
from tests.support.crew import OK, Crew
from tests.support.project import make_team, opened, seeded

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 12


def test_a_dependent_is_right_whether_the_edge_or_the_completion_came_first(tmp_path: Path, crew: Crew) -> None:
    make_team(tmp_path, ("ann", "bob"))
    todos = seeded(tmp_path, 2 * ROUNDS)
    for target, dependent in zip(todos[::2], todos[1::2], strict=True):
        answers = crew.together(
            tmp_path,
            [
                ("complete", {"todo": target, "agent": "ann"}),
                ("depend", {"todo": dependent, "on": target, "agent": "bob"}),
            ],
        )
        assert [code for code, _ in answers] == [OK, OK]
        completed = answers[0][1]
        assert completed["unblocked"] in ([], [dependent])
    with opened(tmp_path) as project:
        assert project.read(lambda snapshot: miscounts(snapshot.db)) == []
        sql = "SELECT count(*), sum(unmet), sum(broken) FROM todos WHERE status = 'open'"
        assert project.read(lambda snapshot: snapshot.db.execute(sql).fetchone()) == (ROUNDS, 0, 0)
        edges = "SELECT count(*) FROM edges"
        assert project.read(lambda snapshot: snapshot.db.execute(edges).fetchone()) == (ROUNDS,)


def test_many_targets_of_one_todo_complete_at_once_and_exactly_one_frees_it(tmp_path: Path, crew: Crew) -> None:
    team = tuple(f"w{number}" for number in range(8))
    make_team(tmp_path, team)
    *targets, dependent = seeded(tmp_path, 9)
    for target in targets:
        ((code, _), _) = crew.together(
            tmp_path,
            [("depend", {"todo": dependent, "on": target, "agent": "w0"}), ("add", {"text": "beside"})],
        )
        assert code == OK
    deeds = [("complete", {"todo": target, "agent": agent}) for target, agent in zip(targets, team, strict=True)]
    answers = crew.together(tmp_path, deeds)
    assert [code for code, _ in answers] == [OK] * 8
    assert sorted(document["unblocked"] for _, document in answers) == [[]] * 7 + [[dependent]]
