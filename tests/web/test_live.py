"""Open pages hear of changes by others, in bounded number and for a bounded time, and slow clients are let go."""

from __future__ import annotations

import socket
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from loopx.app.wait import state_mark
from loopx.web import live, patience
from tests.support.lab import add, start_lab
from tests.web.served import FORM, PATIENCE, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.project import Project
    from tests.support.cli import Loopx
    from tests.web.served import Served


class Stream:
    """A raw connection to the live stream, read line by line."""

    def __init__(self, served: Served, connection: socket.socket) -> None:
        self.connection = connection
        name, value = next(iter(served.cookie.items()))
        request = f"GET /live HTTP/1.1\r\nHost: {served.host}\r\n{name}: {value}\r\n\r\n"
        connection.sendall(request.encode())
        self.lines = connection.makefile("rb")

    def status(self) -> int:
        return int(self.lines.readline().split()[1])

    def next(self, start: str) -> str:
        """The rest of the next line that starts so."""
        while True:
            line = self.lines.readline().decode()
            assert line, "the stream ended"
            if line.startswith(start):
                return line.removeprefix(start).strip()

    def is_over(self) -> bool:
        return self.lines.read() is not None

    def close(self) -> None:
        self.lines.close()
        self.connection.close()


@contextmanager
def listening(served: Served) -> Iterator[Stream]:
    stream = Stream(served, socket.create_connection(("127.0.0.1", served.dashboard.port), PATIENCE))
    try:
        yield stream
    finally:
        stream.close()


def mark_of(page: str) -> str:
    return page.partition('data-mark="')[2].partition('"')[0]


def test_a_change_by_another_process_is_told(loopx: Loopx) -> None:
    lab = start_lab(loopx)
    with serving(lab.root) as served, listening(served) as stream:
        assert stream.status() == 200
        assert stream.next("content-type:") == "text/event-stream; charset=utf-8"
        first = stream.next("data: ")
        assert mark_of(served.page("/")) == first
        todo = add(lab, "news")
        second = stream.next("data: ")
        page = served.page("/todos")
    assert second != first
    assert mark_of(page) == second
    assert todo in page


def test_a_hand_edit_of_the_registry_is_told(inside: Loopx) -> None:
    lab = start_lab(inside)
    registry = lab.root / ".loopx" / "registry.yaml"
    with serving(lab.root) as served, listening(served) as stream:
        first = stream.next("data: ")
        registry.write_text(registry.read_text(encoding="utf-8").replace("Find out", "Find it out"), encoding="utf-8")
        assert stream.next("data: ") != first
        assert "Find it out" in served.page("/")


def test_an_answer_through_the_page_is_told_too(inside: Loopx) -> None:
    from tests.support.lab import add_gate

    lab = start_lab(inside)
    gate = add_gate(lab, "direction:action:way", "--blocks-agent", "ann")
    with serving(lab.root) as served, listening(served) as stream:
        first = stream.next("data: ")
        served.answer(gate, "approve")
        assert stream.next("data: ") != first


def test_there_are_no_more_streams_than_the_limit_and_a_place_comes_free(
    inside: Loopx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_STREAMS", 2)
    lab = start_lab(inside)
    with serving(lab.root) as served, ExitStack() as streams:
        first = streams.enter_context(listening(served))
        first.next("data: ")
        streams.enter_context(listening(served)).next("data: ")
        refused = served.get("/live")
        assert (refused.status, refused.headers["retry-after"]) == (503, "2")
        first.close()
        while (
            again := Stream(served, socket.create_connection(("127.0.0.1", served.dashboard.port), PATIENCE))
        ).status() != 200:
            again.close()
        again.close()


def test_the_server_ends_though_streams_are_open(inside: Loopx) -> None:
    lab = start_lab(inside)
    with ExitStack() as streams:
        with serving(lab.root) as served:
            stream = streams.enter_context(listening(served))
            stream.next("data: ")
        assert stream.is_over()


def test_a_stream_ends_by_itself_and_says_when_to_come_back(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "STREAM_LIFE", 0.2)
    monkeypatch.setattr(live, "HEARTBEAT", 0.1)
    lab = start_lab(inside)
    with serving(lab.root) as served, listening(served) as stream:
        assert stream.next("retry: ") == "2000"
        assert stream.next(": ") == "here"
        assert stream.is_over()


def test_nothing_is_watched_while_nobody_listens(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(project: Project) -> tuple[object, ...]:
        asked.append(1)
        return state_mark(project)

    monkeypatch.setattr(live, "state_mark", counted)
    lab = start_lab(inside)
    with serving(lab.root) as served:
        served.page("/")
        assert len(asked) == 1
        with listening(served) as stream:
            stream.next("data: ")
            assert len(asked) > 1


@pytest.mark.parametrize(
    "sent",
    ["", "GET / HTTP/1.1\r\nHost: 127", "POST /gates/x/answer HTTP/1.1\r\n{headers}\r\nContent-Length: 5\r\n\r\nde"],
)
def test_a_client_that_does_not_go_on_is_let_go(inside: Loopx, monkeypatch: pytest.MonkeyPatch, sent: str) -> None:
    lab = start_lab(inside)
    with serving(lab.root) as served:
        with (
            monkeypatch.context() as hurried,
            socket.create_connection(("127.0.0.1", served.dashboard.port), PATIENCE) as connection,
        ):
            hurried.setattr(patience, "REQUEST_LIMIT", 0.1)
            hurried.setattr(patience, "ANSWER_LIMIT", 0.1)
            connection.sendall(sent.format(headers=allowed(served)).encode())
            assert _drained(connection)
        assert served.get("/").status == 200


def test_headers_without_end_are_refused(inside: Loopx) -> None:
    lab = start_lab(inside)
    with (
        serving(lab.root) as served,
        socket.create_connection(("127.0.0.1", served.dashboard.port), PATIENCE) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000)
        assert _drained(connection)


def allowed(served: Served) -> str:
    """The headers of an answer that would be taken."""
    headers = served.cookie | {"host": served.host, "origin": served.origin, "content-type": FORM}
    return "\r\n".join(f"{name}: {value}" for name, value in headers.items())


def _drained(connection: socket.socket) -> bool:
    """Whether the other side has ended the connection; what it said before is thrown away."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionError:
        return True
    return True
