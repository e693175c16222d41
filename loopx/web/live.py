"""Telling open pages that the state has changed: one watcher, and a bounded number of streams."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from loopx.app.wait import GLANCE, state_mark
from loopx.core.digest import sha256_hex
from loopx.core.errors import LoopxError
from loopx.core.instant import SECOND
from loopx.web.patience import STREAM_LIFE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.types import Send

    from loopx.app.project import Project
    from loopx.web.desk import Desk

MOST_STREAMS = 32  # tabs of one person, several times over
HEARTBEAT = 15.0  # seconds; a comment that shows both sides that the other one is there
RETRY_MS = 2_000  # what a browser waits before it connects again


def mark_of(project: Project) -> str:
    """A short text that differs once anybody has changed the database or the registry."""
    try:
        mark = repr(state_mark(project))
    except LoopxError as exc:
        mark = exc.code  # a state that cannot be read is another state too
    return sha256_hex(mark.encode())[:16]


class LiveResponse(StreamingResponse):
    """A stream that ends with its connection, at once."""

    media_type = "text/event-stream"

    def __init__(self, live: Live) -> None:
        self._events = live.stream()
        super().__init__(self._events, headers={"connection": "close"})

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self._events):
            await super().stream_response(send)


class Live:
    """Watches the project's change mark while anybody listens."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._mark = ""
        self._moved = asyncio.Event()  # set, and replaced, at each change
        self._heard = asyncio.Event()  # set while anybody listens
        self._is_over = False
        self.streams = 0

    @property
    def is_full(self) -> bool:
        """Whether another stream would be one too many."""
        return self.streams >= MOST_STREAMS

    async def watch(self) -> None:
        """Look at the mark again and again; nothing is asked while nobody listens."""
        while not self._is_over:
            await self._heard.wait()
            self._see(await self._desk.ask(mark_of))
            await asyncio.sleep(GLANCE / SECOND)

    def end(self) -> None:
        """End every stream, so that the server can end."""
        self._is_over = True
        self._heard.set()
        self._moved.set()

    async def stream(self) -> AsyncGenerator[str]:
        """The mark now and after each change, as server-sent events, for a bounded time."""
        self.streams += 1
        self._heard.set()
        try:
            self._see(await self._desk.ask(mark_of))
            yield f"retry: {RETRY_MS}\n\n"
            async for event in self._events(asyncio.get_running_loop().time() + STREAM_LIFE):
                yield event
        finally:
            self.streams -= 1
            if not self.streams and not self._is_over:
                self._heard.clear()

    async def _events(self, end: float) -> AsyncGenerator[str]:
        told = ""
        while not self._is_over and asyncio.get_running_loop().time() < end:
            moved = self._moved
            if self._mark != told:
                told = self._mark
                yield f"event: change\ndata: {told}\n\n"
            try:
                await asyncio.wait_for(moved.wait(), HEARTBEAT)
            except TimeoutError:
                yield ": here\n\n"

    def _see(self, mark: str) -> None:
        if mark != self._mark:
            self._mark = mark
            self._moved.set()
            if not self._is_over:
                self._moved = asyncio.Event()
