"""A worker of a team: in this process, or in one of its own. Either way its end is a document, not an exception."""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from loopx.core.errors import LoopxError
from loopx.core.instant import SECOND, Duration
from loopx.settings import without_identity
from loopx.team.idle import LoopSleeper
from loopx.team.tasks import race

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from loopx.team.service import Service

GONE = "worker_gone"  # the code of a worker process that ended without a word
_TIDYING: Duration = 15 * SECOND  # a worker that is told to end stops its run within its grace

Document = dict[str, Any]


class Member(Protocol):
    """A worker of the team, wherever it runs."""

    @property
    def agent_id(self) -> str: ...

    async def run(self) -> Document:
        """Serve to the end: the document of the worker, or `{"error": …}`. Cancelled, it leaves nothing behind."""
        ...

    def stop(self) -> None:
        """End soon; a second call does not wait for a grace."""
        ...


class LocalMember:
    """A worker in this process; many share the event loop and the project."""

    def __init__(self, service: Service) -> None:
        self.service = service

    @property
    def agent_id(self) -> str:
        return self.service.order.seat.agent_id

    async def run(self) -> Document:
        try:
            return await self.service.run()
        except LoopxError as fault:
            return failed(fault.code, fault.message)

    def stop(self) -> None:
        self.service.stop()


class ProcessMember:
    """A worker in a process of its own, which ends when this one does: it reads our end of its standard input."""

    def __init__(self, agent_id: str, argv: Sequence[str], *, environment: Mapping[str, str], folder: str) -> None:
        self._agent_id, self._argv, self._folder = agent_id, tuple(argv), folder
        self._environment = without_identity(environment)
        self._process: asyncio.subprocess.Process | None = None
        self._stops = 0

    @property
    def agent_id(self) -> str:
        return self._agent_id

    async def run(self) -> Document:
        process = await asyncio.create_subprocess_exec(
            *self._argv,
            cwd=self._folder,
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # a key press that ends us reaches it through us, once
        )
        self._process = process
        for _ in range(self._stops):
            self._signal()
        try:
            assert process.stdout is not None
            told = await process.stdout.read()
            code = await process.wait()
        finally:
            await _ended(process)
        return _document(told, code)

    def stop(self) -> None:
        self._stops += 1
        self._signal()

    def _signal(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)


def failed(code: str, message: str) -> Document:
    """The document of a worker that failed."""
    return {"error": {"code": code, "message": message}}


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Let the worker end what it has started, which only itself knows; then make sure that it is gone."""
    if process.stdin is not None:
        process.stdin.close()
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
        await race(_over(process), LoopSleeper().sleep(_TIDYING))
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _over(process: asyncio.subprocess.Process) -> None:
    await process.wait()


def _document(told: bytes, exit_code: int) -> Document:
    """What the worker printed; JSON mode prints one document, unless the process was killed."""
    try:
        document: Document = json.loads(told)
    except ValueError:
        return failed(GONE, f"its process ended with {exit_code} and without a document")
    if not document.get("ok"):
        return failed(document["error"]["code"], document["error"]["message"])
    return document
