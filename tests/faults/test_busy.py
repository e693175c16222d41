"""A writer that keeps the project past the deadline: exit 5, who it is, and readers go on."""

from __future__ import annotations

import os
from contextlib import closing

import pytest

from loopx.core.instant import MILLISECOND
from loopx.store.lock import Turnstile
from loopx.store.paths import state_paths
from tests.support.cli import Loopx
from tests.support.project import open_project


@pytest.fixture
def lab(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> Loopx:
    inside.ok("init", "--goal-id", "lab", "--objective", "Wait", "--agent", "agent-a")
    monkeypatch.setattr("loopx.settings.Settings.busy_timeout", 20 * MILLISECOND)
    return inside


@pytest.mark.parametrize(
    "argv",
    [
        ("todo", "add", "--text", "work"),
        ("todo", "claim-next", "--agent-id", "agent-a"),
        ("goal", "pause"),
    ],
    ids=" ".join,
)
def test_a_writer_that_holds_the_lock_past_the_deadline_is_told(lab: Loopx, argv: tuple[str, ...]) -> None:
    with Turnstile(state_paths(str(lab.root / ".loopx")), timeout_us=MILLISECOND).hold():
        error = lab.refused(*argv, code="busy_timeout", exit_code=5).error
    assert error["details"].get("holder_pid") in (None, os.getpid())


def test_a_foreign_transaction_past_the_deadline_is_busy_too(lab: Loopx) -> None:
    lab.ok("todo", "add", "--text", "first")
    with closing(open_project(lab.root)) as other, other.store.write():
        lab.refused("todo", "add", "--text", "second", code="busy_timeout", exit_code=5)


def test_a_reader_does_not_care(lab: Loopx) -> None:
    with Turnstile(state_paths(str(lab.root / ".loopx")), timeout_us=MILLISECOND).hold():
        assert lab.ok("todo", "list")["total"] == 0
