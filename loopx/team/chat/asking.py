"""Asking a person on the terminal whether a tool may do something; nobody there is not a yes."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from typing import Protocol

from loopx.core.untrusted import as_data

_YES = frozenset(("y", "yes"))
_LINE_BYTES = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which agent wants to use which tool on what."""

    agent_id: str
    tool: str
    about: str


class Asker(Protocol):
    """Somebody who may let a call pass."""

    async def ask(self, question: Question) -> bool | None:
        """Yes or no; None where nobody can be asked."""
        ...


class NobodyThere:
    """The asker of a run without a terminal."""

    async def ask(self, question: Question) -> bool | None:
        return None


class TerminalAsker:
    """Asks on standard error and reads a line of standard input, one question at a time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._one_at_a_time = asyncio.Lock()

    async def ask(self, question: Question) -> bool | None:
        async with self._one_at_a_time:
            _say(f"\n{question.agent_id} wants to use {question.tool}:\n  {as_data(question.about)}\nAllow it? [y/N] ")
            line = await self._line()
        return None if line is None else line.strip().lower() in _YES

    async def _line(self) -> str | None:
        """The next line, or None at the end of input and where this event loop cannot watch it."""
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        try:
            loop.add_reader(self._fd, ready.set)
        except (NotImplementedError, PermissionError):  # of Windows, and of a regular file
            return None
        try:
            await ready.wait()
            data = os.read(self._fd, _LINE_BYTES)  # a terminal hands out whole lines
        finally:
            loop.remove_reader(self._fd)
        return data.decode("utf-8", "replace") if data else None


def asker_here() -> Asker:
    """Whoever sits at the terminal of this process, if anybody does."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty():
        return TerminalAsker(sys.stdin.fileno())
    return NobodyThere()


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
