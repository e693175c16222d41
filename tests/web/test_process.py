"""`loopx dashboard` as a process: what it prints, what it refuses, how it ends."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.cli import COMMAND, clean_environment
from tests.support.contracts import check_document
from tests.support.lab import GOAL, start_lab

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from tests.support.cli import Loopx

PATIENCE = 60.0


@contextmanager
def dashboard(
    lab: Loopx, *argv: str, env: Mapping[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A process that has said that it is ready, and what it said."""
    process = subprocess.Popen(
        [COMMAND, "dashboard", "--format", "json", *argv],
        cwd=lab.root,
        env=clean_environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        document = json.loads(process.stdout.readline())
        check_document(document)
        yield process, document
    finally:
        process.kill()
        process.communicate()


@contextmanager
def asked(document: dict[str, Any], path: str, cookie: str = "") -> Iterator[http.client.HTTPResponse]:
    """The start of an answer, on a connection that stays open meanwhile."""
    connection = http.client.HTTPConnection(document["host"], document["port"], timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"cookie": cookie})
        with connection.getresponse() as response:
            yield response
    finally:
        connection.close()


def status(document: dict[str, Any], path: str, cookie: str = "") -> int:
    with asked(document, path, cookie) as response:
        return response.status


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_says_one_thing_serves_and_ends_by_a_signal(loopx: Loopx, number: signal.Signals, code: int) -> None:
    lab = start_lab(loopx)
    with dashboard(lab) as (process, document):
        door = urlsplit(document["url"])
        assert (door.hostname, door.port, door.path) == ("127.0.0.1", document["port"], "/enter")
        assert status(document, "/") == 401
        with asked(document, f"{door.path}?{door.query}") as entered:
            cookie = (entered.getheader("set-cookie") or "").partition(";")[0]
        assert status(document, "/", cookie) == 200
        with asked(document, "/live", cookie) as stream:
            assert stream.status == 200
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert (out, err) == ("", "")


def test_two_launches_have_nothing_in_common(loopx: Loopx) -> None:
    lab = start_lab(loopx)
    with dashboard(lab) as (_, one), dashboard(lab) as (_, other):
        keys = [parse_qs(urlsplit(document["url"]).query)["token"] for document in (one, other)]
        assert keys[0] != keys[1]
        assert status(other, f"/enter?token={keys[0][0]}") == 401


def test_the_address_leads_to_the_goal_that_was_named(loopx: Loopx) -> None:
    lab = start_lab(loopx)
    with dashboard(lab, "--goal-id", GOAL) as (_, document):
        query = parse_qs(urlsplit(document["url"]).query)
    assert query["to"] == [f"/goal?goal={GOAL}"]


def test_under_an_agents_identity_it_only_shows(loopx: Loopx) -> None:
    lab = start_lab(loopx)
    with dashboard(lab, env={"LOOPX_AGENT_ID": "ann"}) as (_, document):
        assert document["read_only"] is True
        assert "an agent started this dashboard" in document["warnings"][0]


def test_it_listens_on_other_addresses_only_where_that_is_said_twice(loopx: Loopx) -> None:
    lab = start_lab(loopx)
    for host in ("0.0.0.0", "192.0.2.1", "::", "evil.example"):
        refused = lab.refused("dashboard", "--host", host, code="usage")
        assert "--expose" in refused.error["hint"]
    with dashboard(lab, "--host", "0.0.0.0", "--expose") as (_, document):
        assert "not encrypted" in document["warnings"][0]
        assert urlsplit(document["url"]).hostname == "127.0.0.1"


def test_a_taken_port_is_refused(loopx: Loopx) -> None:
    lab = start_lab(loopx)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = lab.refused("dashboard", "--port", str(port), code="usage")
    assert str(port) in refused.error["message"]


@pytest.mark.parametrize(
    ("argv", "code"),
    [(("--goal-id", "nowhere"), "goal_not_found"), (("--port", "70000"), "usage"), (("--project", "/nowhere"), None)],
)
def test_what_it_cannot_show_is_refused_before_it_listens(
    inside: Loopx, argv: tuple[str, ...], code: str | None
) -> None:
    lab = start_lab(inside)
    lab.refused("dashboard", *argv, code=code)


def test_without_its_packages_it_says_how_to_get_them(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = start_lab(inside)
    for name in [name for name in sys.modules if name.startswith("loopx.web.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    for name in [name for name in sys.modules if name.startswith("starlette.")]:
        monkeypatch.delitem(sys.modules, name)
    refused = lab.refused("dashboard", code="extra_missing")
    assert "pip install 'loopx[web]'" in refused.error["hint"]
    assert refused.error["details"] == {"extra": "web"}


def test_on_a_terminal_it_opens_a_browser_with_a_key_that_fits_once(
    inside: Loopx, monkeypatch: pytest.MonkeyPatch
) -> None:
    import webbrowser

    from loopx.web.serve import Dashboard

    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    monkeypatch.setattr(Dashboard, "run", lambda dashboard: dashboard.socket.close())
    document = start_lab(inside).ok("dashboard", "--open")
    inside.ok("dashboard")
    (address,) = shown
    assert address.partition("?")[0] == document["url"].partition("?")[0]
    assert address != document["url"]
