"""Connections that end: a slow or silent client holds a place for a bounded time only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio
    from typing import Any

    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

LIVE_PATH = "/live"

# In seconds.
REQUEST_LIMIT = 10.0  # from the first byte of a connection or request to the end of its headers
ANSWER_LIMIT = 60.0  # from there to the last byte of the answer, well above the store's own patience
STREAM_LIFE = 600.0  # of a live stream, which then ends by itself; the browser connects again
STREAM_LIMIT = STREAM_LIFE + 60.0


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with one timer a connection: for the request, and then for its answer."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._is_answering = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start(REQUEST_LIMIT)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        self._is_answering = False
        self._stop()  # the server's own keep-alive timer takes over
        super().on_response_complete()
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _follow(self) -> None:
        """Turn from the timer of the request to that of the answer, once there is one to give."""
        if self.transport.is_closing():
            self._stop()
        elif self._is_in_cycle():
            if not self._is_answering:
                self._is_answering = True
                self._start(STREAM_LIMIT if self.scope["path"] == LIVE_PATH else ANSWER_LIMIT)
        elif self._timer is None and self.timeout_keep_alive_task is None:
            self._start(REQUEST_LIMIT)

    def _is_in_cycle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _start(self, seconds: float) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
