"""A dashboard that serves from a thread of the test, and a client that sends exactly what a test says."""

from __future__ import annotations

import http.client
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from loopx.core.actor import Actor, ActorKind
from loopx.system import RandomIds, RandomTokens, SystemClock
from loopx.web.serve import Dashboard, Launch
from tests.support.project import open_project

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from loopx.ports import Clock

PATIENCE = 30.0  # seconds that a test waits before it fails
PERSON = Actor(ActorKind.USER)
FORM = "application/x-www-form-urlencoded"


class Answer:
    """Status, headers and text of one response."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = response.read().decode()


class Served:
    """A running dashboard, and calls to it as a browser that has entered would make them."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.dashboard = dashboard
        self.access = dashboard.access
        self.host = f"127.0.0.1:{dashboard.port}"
        self.origin = f"http://{self.host}"
        self.cookie = {"cookie": f"{self.access.cookie}={self.access.session}"}

    def ask(self, method: str, path: str, headers: Mapping[str, str], body: str | None = None) -> Answer:
        """Exactly these headers, beside a Host of our own where none is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.dashboard.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host="host" in headers, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body is not None and "content-length" not in headers:
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body.encode() if body is not None else None)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """A page, for whoever has entered."""
        return self.ask("GET", path, self.cookie | headers)

    def page(self, path: str) -> str:
        """The text of a page that must be there."""
        answer = self.get(path)
        assert answer.status == 200, (path, answer.status, answer.text[:2000])
        return answer.text

    def answer(self, todo_id: str, decision: str, *, headers: Mapping[str, str] | None = None, **words: str) -> Answer:
        """The form of a gate, sent from our own page."""
        form = {"proof": self.access.proof, "operation_id": f"op_{todo_id}", "back": "/", "decision": decision}
        sent = self.cookie | {"origin": self.origin, "content-type": FORM} | dict(headers or {})
        return self.ask("POST", f"/gates/{todo_id}/answer", sent, urlencode(form | words))


@contextmanager
def serving(
    root: Path, *, actor: Actor = PERSON, role: str | None = None, clock: Clock | None = None
) -> Iterator[Served]:
    """A dashboard on the project at `root`, until the end."""
    launch = Launch(
        open_project=lambda: open_project(root, clock=clock or SystemClock(), ids=RandomIds(), tokens=RandomTokens()),
        actor=actor,
        role=role,
        ids=RandomIds(),
        tokens=RandomTokens(),
    )
    dashboard = Dashboard(launch)
    thread = threading.Thread(target=dashboard.run)
    thread.start()
    try:
        yield Served(dashboard)
    finally:
        dashboard.end()
        thread.join(PATIENCE)
        assert not thread.is_alive()
