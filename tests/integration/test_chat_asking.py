"""A person at a real terminal lets a call pass or not; nobody there is not a yes."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from loopx.team.chat.asking import NobodyThere, Question, TerminalAsker, asker_here
from tests.support.processes import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION = Question(agent_id="bob", tool="shell", about="rm -r build")


class Terminal:
    """Both ends of a pseudo-terminal: what is typed at one is read at the other."""

    def __init__(self) -> None:
        self.person, self.program = os.openpty()

    def types(self, keys: str) -> None:
        os.write(self.person, keys.encode())

    def close(self) -> None:
        os.close(self.person)
        os.close(self.program)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


def asked(terminal: Terminal, question: Question = QUESTION) -> bool | None:
    async def ask() -> bool | None:
        return await asyncio.wait_for(TerminalAsker(terminal.program).ask(question), PATIENCE_SECONDS)

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("keys", "answer"),
    [("y\n", True), ("YES\n", True), (" y \n", True), ("n\n", False), ("\n", False), ("yep\n", False), ("\x04", None)],
)
def test_only_a_clear_yes_is_one(terminal: Terminal, keys: str, answer: bool | None) -> None:
    terminal.types(keys)
    assert asked(terminal) is answer


def test_the_question_names_agent_tool_and_what_it_is_about(
    terminal: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal.types("n\n")
    asked(terminal)
    shown = capsys.readouterr().err
    assert all(words in shown for words in ("bob", "shell", "rm -r build", "[y/N]"))


def test_no_text_can_disguise_what_is_asked(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    terminal.types("n\n")
    asked(terminal, Question(agent_id="bob", tool="shell", about="rm x\r\x1b[2Kls \u202e; ls"))
    shown = capsys.readouterr().err
    assert not {"\r", "\x1b", "\u202e"} & set(shown)
    assert "rm x" in shown


def test_two_questions_are_asked_one_after_the_other(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    async def both() -> tuple[bool | None, bool | None]:
        asker = TerminalAsker(terminal.program)
        first = asyncio.ensure_future(asker.ask(QUESTION))
        second = asyncio.ensure_future(asker.ask(QUESTION))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert capsys.readouterr().err.count("[y/N]") == 1
        terminal.types("y\n")
        answer = await asyncio.wait_for(first, PATIENCE_SECONDS)
        terminal.types("n\n")
        return answer, await asyncio.wait_for(second, PATIENCE_SECONDS)

    assert asyncio.run(both()) == (True, False)


def test_a_run_that_is_stopped_asks_no_longer(terminal: Terminal) -> None:
    async def stopped() -> None:
        asker = TerminalAsker(terminal.program)
        question = asyncio.ensure_future(asker.ask(QUESTION))
        await asyncio.sleep(0)
        question.cancel()
        await asyncio.gather(question, return_exceptions=True)
        assert not asyncio.get_running_loop().remove_reader(terminal.program)

    asyncio.run(stopped())


def test_without_a_terminal_nobody_is_there() -> None:
    assert isinstance(asker_here(), NobodyThere)
    assert asyncio.run(NobodyThere().ask(QUESTION)) is None


def test_input_that_cannot_be_watched_is_nobody(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "answers")
    with open(path, "w+b") as file:
        file.write(b"y\n")
        file.seek(0)

        async def ask() -> bool | None:
            return await TerminalAsker(file.fileno()).ask(QUESTION)

        assert asyncio.run(ask()) is None
