"""The terminal board, driven by its pilot: lanes, filter, detail, answers, changes by others, and hostile text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from loopx.app.project import Project
from loopx.core.actor import Actor, ActorKind
from loopx.tui.board import BoardApp
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens
from tests.support.lab import add, add_gate, ask, start_lab
from tests.support.project import open_project

Script = Callable[[BoardApp, "Pilot[None]"], Coroutine[Any, Any, None]]
PERSON = Actor(ActorKind.USER)
HOSTILE = "[bold red]x[/] <script> \u202e\x1b[31m" + "long " * 4_000


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


@pytest.fixture
def project(lab: Loopx, clock: FakeClock, ids: SequenceIds, tokens: SequenceTokens) -> Project:
    return open_project(lab.root, clock=clock, ids=ids, tokens=tokens)


def play(project: Project, script: Script, actor: Actor = PERSON) -> None:
    """Run the board on a terminal of 160 by 40, let the script act, and end it."""

    async def run() -> None:
        app = BoardApp(project, "lab", actor=actor)
        async with app.run_test(size=(160, 40)) as pilot:
            await pilot.pause()
            await script(app, pilot)

    try:
        asyncio.run(run())
    finally:
        project.close()


def lane(app: BoardApp, name: str) -> list[str]:
    shown = app.query_one(f"#{name}", OptionList)
    return [str(shown.get_option_at_index(at).prompt) for at in range(shown.option_count)]


def title(app: BoardApp, name: str) -> str:
    return str(app.query_one(f"#{name}", OptionList).border_title)


def test_every_todo_is_in_its_lane(lab: Loopx, project: Project) -> None:
    add(lab, "ready one")
    add(lab, "taken one", "--claimed-by", "bob")
    add(lab, "later one", "--status", "deferred", "--resume-when", "at:2030-01-01T00:00:00Z")
    add(lab, "held one", "--required-decision-scope", "direction:action:way")
    add_gate(lab, "direction:action:way", "--global-gate")

    async def script(app: BoardApp, _pilot: Pilot[None]) -> None:
        assert "May it be so?" in lane(app, "for_you")[0]
        assert "later one" in lane(app, "later")[0]
        everything = " ".join(row for name in ("ready", "in_hand", "waiting") for row in lane(app, name))
        assert all(words in everything for words in ("ready one", "taken one", "held one"))
        assert title(app, "for_you") == "For you (1)"

    play(project, script)


def test_the_filter_narrows_while_it_is_typed(lab: Loopx, project: Project) -> None:
    add(lab, "write the parser")
    add(lab, "draw the map")

    async def script(app: BoardApp, pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"MAP")
        assert [row for row in lane(app, "ready") if "map" in row] == lane(app, "ready")
        assert len(lane(app, "ready")) == 1
        await pilot.press("backspace", "backspace", "backspace", "enter")
        assert len(lane(app, "ready")) == 2
        assert app.query_one("#ready", OptionList).has_focus

    play(project, script)


def test_the_detail_says_who_may_run_it_and_where_others_stop(lab: Loopx, project: Project) -> None:
    add(lab, "only for ann", "--bound-agent", "ann")

    async def script(app: BoardApp, pilot: Pilot[None]) -> None:
        for name in ("ready", "waiting"):
            if lane(app, name):
                app.query_one(f"#{name}", OptionList).focus()
                await pilot.press("home", "enter")
        shown = str(app.query_one("#shown", Static).visual)
        assert "only for ann" in shown
        assert "may run it" in shown
        assert "agent_bound" in shown or "stops at" in shown

    play(project, script)


def test_an_answer_changes_what_the_agent_may_do(lab: Loopx, project: Project) -> None:
    held = add(lab, "change the interface", "--required-decision-scope", "direction:action:api")
    gate = add_gate(lab, "direction:action:api", "--blocks-agent", "ann", "--unblocks-todo-id", held)
    assert ask(lab)["should_run"] is False

    async def script(app: BoardApp, pilot: Pilot[None]) -> None:
        app.query_one("#for_you", OptionList).focus()
        await pilot.press("home", "a")
        await pilot.pause()
        app.screen.query_one("#note", Input).value = "behind a flag"
        await pilot.click("#approve")
        await pilot.pause()
        assert lane(app, "for_you") == []

    play(project, script)
    decision = lab.ok("todo", "show", gate)["todo"]["decision"]
    assert (decision["verdict"], decision["note"]) == ("approve", "behind a flag")
    assert ask(lab)["selected_todo"]["todo_id"] == held


def test_a_question_that_is_left_stays_open(lab: Loopx, project: Project) -> None:
    gate = add_gate(lab, "direction:action:api", "--global-gate")

    async def script(app: BoardApp, pilot: Pilot[None]) -> None:
        app.query_one("#for_you", OptionList).focus()
        await pilot.press("home", "a")
        await pilot.pause()
        await pilot.press("escape")
        assert len(lane(app, "for_you")) == 1

    play(project, script)
    assert lab.ok("todo", "show", gate)["todo"]["decision"] is None


def test_an_agent_looks_and_does_not_answer(lab: Loopx, project: Project) -> None:
    gate = add_gate(lab, "direction:action:api", "--global-gate")

    async def script(app: BoardApp, pilot: Pilot[None]) -> None:
        app.query_one("#for_you", OptionList).focus()
        await pilot.press("home", "a")
        await pilot.pause()
        await pilot.click("#approve")
        await pilot.pause()
        assert len(lane(app, "for_you")) == 1

    play(project, script, Actor(ActorKind.AGENT, "ann"))
    assert lab.ok("todo", "show", gate)["todo"]["decision"] is None


def test_what_others_change_shows_up(lab: Loopx, project: Project) -> None:
    async def script(app: BoardApp, _pilot: Pilot[None]) -> None:
        assert lane(app, "ready") == []
        await asyncio.to_thread(add, lab, "from another process")
        app.look()
        assert "from another process" in lane(app, "ready")[0]

    play(project, script)


def test_hostile_text_is_shown_and_does_nothing(lab: Loopx, project: Project) -> None:
    add(lab, HOSTILE)

    async def script(app: BoardApp, pilot: Pilot[None]) -> None:
        (row,) = lane(app, "ready")
        assert "[bold red]x[/] <script>" in row
        assert "\x1b" not in row
        assert "\u202e" not in row
        app.query_one("#ready", OptionList).focus()
        await pilot.press("home", "enter")
        assert "\x1b" not in str(app.query_one("#shown", Static).visual)

    play(project, script)


@pytest.mark.parametrize("way", [("--format", "json"), ()])
def test_without_a_terminal_it_names_what_prints_the_same(loopx: Loopx, way: tuple[str, ...]) -> None:
    start_lab(loopx)
    answer = loopx.text(*way, "board")
    assert answer.code == 2
    assert "todo list" in answer.out + answer.err


def test_the_board_reads_without_writing(lab: Loopx, project: Project, tmp_path: Path) -> None:
    add(lab, "ready one")
    before = lab.ok("log", "--limit", "50")["events"]

    async def script(app: BoardApp, pilot: Pilot[None]) -> None:
        await pilot.press("home", "enter", "r")
        assert app.is_running

    play(project, script)
    assert lab.ok("log", "--limit", "50")["events"] == before
    assert tmp_path.exists()
