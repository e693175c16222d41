"""Replay that differs; equal is not duplicate: only an operation id makes two calls one (design.md §3)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from loopx.core.errors import UsageError
from tests.support.crew import OK, SIZES, Crew, add
from tests.support.project import make_state, opened

if TYPE_CHECKING:
    from pathlib import Path


def test_the_same_operation_from_many_processes_is_one_event_with_one_answer(tmp_path: Path, crew: Crew) -> None:
    make_state(tmp_path)
    deeds = [("add", {"text": "once", "operation": "op-1"})] * max(SIZES)
    answers = crew.together(tmp_path, deeds)
    assert [code for code, _ in answers] == [OK] * max(SIZES)
    documents = [document for _, document in answers]
    replayed = Counter(document["receipt"].pop("replayed") for document in documents)
    assert replayed == Counter({True: max(SIZES) - 1, False: 1})
    assert all(document == documents[0] for document in documents)
    with opened(tmp_path) as project:
        counted = "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM todos)"
        assert project.read(lambda snapshot: snapshot.db.execute(counted).fetchone()) == (1, 1)


def test_one_operation_id_with_two_intents_is_one_winner_and_conflicts(tmp_path: Path, crew: Crew) -> None:
    make_state(tmp_path)
    deeds = [("add", {"text": f"text {number}", "operation": "op-1"}) for number in range(8)]
    codes = Counter(code for code, _ in crew.together(tmp_path, deeds))
    assert codes == Counter({OK: 1, "operation_conflict": 7})


def test_equal_calls_without_an_operation_id_are_two_events(tmp_path: Path) -> None:
    make_state(tmp_path)
    with opened(tmp_path) as project:
        first, second = add(project, text="again"), add(project, text="again")
    assert first["todo"]["todo_id"] != second["todo"]["todo_id"]
    assert second["receipt"]["replayed"] is False


@pytest.mark.parametrize("operation", ["", "  ", "\t"])
def test_an_empty_operation_id_is_refused_since_no_retry_with_it_would_be_safe(tmp_path: Path, operation: str) -> None:
    make_state(tmp_path)
    with opened(tmp_path) as project, pytest.raises(UsageError):
        add(project, text="x", operation=operation)
