"""Listening: an address of this machine, one process, until a signal ends it."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import uvicorn

from loopx.core.errors import UsageError
from loopx.web.access import new_access
from loopx.web.patience import PatientProtocol
from loopx.web.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.core.actor import Actor
    from loopx.ports import IdSource, TokenSource

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 128  # of all kinds; what comes beyond is answered 503
IDLE_SECONDS = 5  # that a connection without a request is kept
END_SECONDS = 3  # that answers on their way may take once the end was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What one launch serves, as whom, and what it draws its secrets and ids from."""

    open_project: Callable[[], Project]
    actor: Actor
    role: str | None
    ids: IdSource
    tokens: TokenSource


class Dashboard:
    """A dashboard that listens already and answers once `run` is called."""

    def __init__(
        self, launch: Launch, *, host: str = LOOPBACK, port: int = 0, is_exposed: bool = False, start: str = "/"
    ) -> None:
        """`start` is the page that its address leads to.

        UsageError for an address that is not of this machine alone, unless `is_exposed`, or that is taken."""
        if not (is_exposed or is_loopback(host)):
            raise UsageError(
                f"{host} can be reached from other machines, and what it serves is not encrypted",
                hint="Leave --host out, or add --expose if that is meant.",
            )
        self._start = start
        self.socket = _listening(host, port)
        self.host, self.port = host, int(self.socket.getsockname()[1])
        self.access = new_access(
            launch.tokens, host=host, port=self.port, machine=socket.gethostname(), is_exposed=is_exposed
        )
        self._site = Site(launch.open_project, self.access, actor=launch.actor, role=launch.role, ids=launch.ids)
        self._server = _Server(self._config(), self._site)

    @property
    def url(self) -> str:
        """The address with the key of this launch."""
        return self._door(self.access.token)

    @property
    def opener_url(self) -> str:
        """The same with a key that fits once, for a browser whose command line others may see."""
        return self._door(self.access.opener)

    def run(self) -> None:
        """Serve until `end`, or until SIGINT or SIGTERM, which then has its usual effect."""
        asyncio.run(self._server.serve(sockets=[self.socket]))

    def end(self) -> None:
        """Let `run` return soon; any thread may ask for it."""
        self._server.should_exit = True

    def _config(self) -> uvicorn.Config:
        return uvicorn.Config(
            self._site.application,
            factory=True,
            http=PatientProtocol,
            ws="none",
            lifespan="on",
            access_log=False,  # addresses may hold the key
            log_config=None,
            log_level="error",
            proxy_headers=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=END_SECONDS,
        )

    def _door(self, token: str) -> str:
        words = {"token": token} if self._start == "/" else {"token": token, "to": self._start}
        return f"http://{_named(self.host)}:{self.port}/enter?{urlencode(words)}"


class _Server(uvicorn.Server):
    """Live streams are told of the end, so that it need not wait for them."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._site.live.end()
        await super().shutdown(sockets)


def is_loopback(host: str) -> bool:
    """Whether the address is of this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _named(host: str) -> str:
    """The host as an address spells it; a wildcard is no place to go to."""
    shown = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"[{shown}]" if ":" in shown else shown


def _listening(host: str, port: int) -> socket.socket:
    """A socket that names its protocol: asyncio lets answers leave at once only where it is said to be TCP."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(MOST_CONNECTIONS)
    except OSError as exc:
        opened.close()
        raise UsageError(
            f"nothing can listen on {host} port {port}: {exc.strerror or exc}",
            hint="Leave --port out to take a free one, and --host to listen on this machine.",
        ) from exc
    return opened
