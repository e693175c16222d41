"""Who gets no answer: foreign names, foreign pages, no key, no proof, too much."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from loopx.web.access import BODY_LIMIT_BYTES, Access, new_access
from loopx.web.answer import local_path
from loopx.web.guard import HEADERS
from tests.support.cli import Loopx
from tests.support.fakes import SequenceTokens
from tests.support.lab import GOAL, add_gate, start_lab
from tests.web.served import FORM, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web.sample import Sample
    from tests.web.served import Answer, Served

PORT = 8123
SCOPE = "direction:action:way"


@pytest.fixture
def access() -> Access:
    return new_access(SequenceTokens(), host="127.0.0.1", port=PORT, machine="box", is_exposed=False)


@pytest.fixture
def asked(inside: Loopx) -> Iterator[tuple[Served, str, Loopx]]:
    """A dashboard with one open gate."""
    lab = start_lab(inside)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann")
    with serving(lab.root) as served:
        yield served, gate, lab


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str, Loopx]]:
    """The same, for everything that must not answer it."""
    lab = start_lab(Loopx(tmp_path_factory.mktemp("lab"), in_process=True))
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann")
    with serving(lab.root) as served:
        yield served, gate, lab


def is_open(lab: Loopx, gate: str) -> bool:
    return lab.ok("todo", "show", gate)["todo"]["decision"] is None


# --- the host ----------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1:8123", "localhost:8123", "LOCALHOST:8123", "[::1]:8123"])
def test_this_machines_own_names_are_hosts(access: Access, host: str) -> None:
    assert access.is_own_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "127.0.0.1",
        "127.0.0.1:80",
        "evil.example:8123",
        "127.0.0.1.evil.example:8123",
        "box:8123",
        "192.168.1.9:8123",
        "localhost.:8123",
        "127.0.0.1:8123, evil.example",
        "0x7f.1:8123",
        "127.0.0.1:08123",
    ],
)
def test_no_other_name_is_a_host(access: Access, host: str) -> None:
    assert not access.is_own_host(host)


def test_port_80_may_be_left_out() -> None:
    access = new_access(SequenceTokens(), host="127.0.0.1", port=80, machine="box", is_exposed=False)
    assert access.is_own_host("localhost")
    assert access.is_own_host("localhost:80")
    assert not access.is_own_host("evil.example")


@pytest.mark.parametrize(
    ("host", "own"),
    [("192.168.1.9:8123", True), ("[fd00::9]:8123", True), ("box:8123", True), ("box.local:8123", True),
     ("evil.example:8123", False), ("box.evil.example:8123", False)],
)  # fmt: skip
def test_where_it_is_exposed_addresses_in_digits_are_hosts_and_foreign_names_still_are_not(
    host: str, own: bool
) -> None:
    access = new_access(SequenceTokens(), host="0.0.0.0", port=PORT, machine="Box", is_exposed=True)
    assert access.is_own_host(host) is own


def test_a_foreign_host_gets_nothing_even_with_the_key(site: Served) -> None:
    answer = site.get("/", host=f"rebound.example:{site.dashboard.port}")
    assert answer.status == 421
    assert "ship-parser" not in answer.text


# --- the key -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/board", "/todos/todo_0000000001", "/live", "/nowhere"])
def test_without_the_key_there_is_nothing_to_see(site: Served, path: str) -> None:
    for cookie in ({}, {"cookie": f"{site.access.cookie}=guess"}, {"cookie": f"other={site.access.session}"}):
        answer = site.ask("GET", path, cookie)
        assert answer.status == 401, path
        assert "ship-parser" not in answer.text


def test_the_key_of_the_address_is_no_cookie_and_the_cookie_no_key(site: Served) -> None:
    assert site.ask("GET", "/", {"cookie": f"{site.access.cookie}={site.access.token}"}).status == 401
    assert site.ask("GET", f"/enter?token={site.access.session}", {}).status == 401


def test_the_door_gives_a_cookie_that_scripts_and_other_sites_do_not_get(site: Served) -> None:
    answer = site.ask("GET", f"/enter?token={site.access.token}", {})
    assert answer.status == 200
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{site.access.cookie}={site.access.session};")
    assert {"httponly", "path=/", "samesite=strict"} <= {part.strip().lower() for part in cookie.split(";")}
    assert site.access.token not in answer.text
    assert 'content="0;url=/"' in answer.text


def test_a_wrong_or_missing_key_opens_nothing(site: Served) -> None:
    for words in ("", "?token=", "?token=guess", f"?token={site.access.token}x", f"?token={site.access.opener}%00"):
        answer = site.ask("GET", f"/enter{words}", {})
        assert answer.status == 401
        assert "set-cookie" not in answer.headers


def test_the_key_for_our_own_browser_fits_once(asked: tuple[Served, str, Loopx]) -> None:
    served, _, _ = asked
    path = served.dashboard.opener_url.removeprefix(served.origin)
    assert [served.ask("GET", path, {}).status for _ in range(2)] == [200, 401]


@pytest.mark.parametrize(
    "target", ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:x", "/\n/x"]
)
def test_the_door_leads_nowhere_else(site: Served, target: str) -> None:
    answer = site.ask("GET", f"/enter?{urlencode({'token': site.access.token, 'to': target})}", {})
    assert 'content="0;url=/"' in answer.text
    assert local_path(target) == "/"


def test_the_door_leads_to_the_page_that_was_meant(site: Served) -> None:
    answer = site.ask("GET", f"/enter?{urlencode({'token': site.access.token, 'to': '/board?goal=ship-parser'})}", {})
    assert 'content="0;url=/board?goal=ship-parser"' in answer.text


def test_no_page_holds_a_key(site: Served, sample: Sample) -> None:
    for path in ("/", "/inbox", f"/todos/{sample.ids['q_api']}"):
        text = site.page(path)
        assert site.access.token not in text
        assert site.access.session not in text


# --- the way of asking -------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(site: Served, method: str) -> None:
    for cookie in (site.cookie, {}):
        assert site.ask(method, "/", cookie).status == 405


def test_a_page_takes_no_post_and_an_answer_no_get(site: Served, sample: Sample) -> None:
    gate = sample.ids["q_api"]
    posted = site.ask("POST", "/", site.cookie | {"origin": site.origin, "content-type": FORM}, "x=1")
    assert posted.status == 405
    assert site.get(f"/gates/{gate}/answer").status == 405


def test_a_head_has_the_headers_of_the_page(site: Served) -> None:
    answer = site.ask("HEAD", "/", site.cookie)
    assert (answer.status, answer.text) == (200, "")


@pytest.mark.parametrize("site_of", ["cross-site", "same-site"])
def test_another_site_may_link_here_and_fetch_nothing(site: Served, site_of: str) -> None:
    fetched = site.get("/", **{"sec-fetch-site": site_of, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"})
    framed = site.get("/", **{"sec-fetch-site": site_of, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"})
    linked = site.get("/", **{"sec-fetch-site": site_of, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"})
    assert (fetched.status, framed.status, linked.status) == (403, 403, 200)


def test_every_answer_carries_the_strict_headers(site: Served) -> None:
    answers: list[Answer] = [
        site.get("/"),
        site.get("/nowhere"),
        site.get("/todos/todo_nowhere"),
        site.get("/static/style.css"),
        site.ask("GET", "/", {}),
        site.get("/", host="evil.example"),
        site.ask("PUT", "/", site.cookie),
    ]
    for answer in answers:
        assert HEADERS.items() <= answer.headers.items(), answer.status
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


def test_assets_lead_nowhere_outside_their_folder(site: Served) -> None:
    for path in ("/static/../access.py", "/static/..%2faccess.py", "/static/%2e%2e/access.py", "/static//etc/passwd"):
        assert site.get(path).status == 404, path


# --- writing -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"host": "evil.example"}, 421),
        ({"cookie": "loopx=guess"}, 401),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-length": str(BODY_LIMIT_BYTES + 1)}, 413),
        ({"content-length": "99999999999999999999"}, 413),
        ({"content-length": "0", "transfer-encoding": "chunked"}, 411),
    ],
)
def test_an_answer_from_elsewhere_records_nothing(
    untouched: tuple[Served, str, Loopx], headers: dict[str, str], status: int
) -> None:
    served, gate, lab = untouched
    assert served.answer(gate, "approve", headers=headers).status == status
    assert is_open(lab, gate)


def test_an_answer_without_an_origin_records_nothing(untouched: tuple[Served, str, Loopx]) -> None:
    served, gate, lab = untouched
    body = urlencode({"proof": served.access.proof, "operation_id": "op", "decision": "approve"})
    answer = served.ask("POST", f"/gates/{gate}/answer", served.cookie | {"content-type": FORM}, body)
    assert answer.status == 403
    assert is_open(lab, gate)


@pytest.mark.parametrize(
    "words",
    [{"proof": ""}, {"proof": "guess"}, {"decision": "maybe"}, {"decision": ""}, {"surprise": "field"}],
)
def test_a_form_that_is_not_ours_records_nothing(untouched: tuple[Served, str, Loopx], words: dict[str, str]) -> None:
    served, gate, lab = untouched
    decision = words.pop("decision", "approve")
    assert served.answer(gate, decision, headers={}, **words).status in (400, 403)
    assert is_open(lab, gate)


@pytest.mark.parametrize(
    "body",
    ["decision=approve&decision=reject&operation_id=op&proof={}", "%ff=%fe", "a;b", "=", "proof=%E0%A4%A"],
)
def test_a_body_that_is_no_form_is_refused(untouched: tuple[Served, str, Loopx], body: str) -> None:
    served, gate, lab = untouched
    headers = served.cookie | {"origin": served.origin, "content-type": FORM}
    sent = served.ask("POST", f"/gates/{gate}/answer", headers, body.format(served.access.proof))
    assert sent.status in (400, 403)
    assert is_open(lab, gate)


def test_what_an_agent_started_shows_everything_and_takes_no_answer(inside: Loopx) -> None:
    from loopx.core.actor import Actor, ActorKind

    lab = start_lab(inside)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann")
    with serving(lab.root, actor=Actor(ActorKind.AGENT, "ann")) as served:
        page = served.page("/")
        answer = served.answer(gate, "approve")
    assert "May it be so?" in page
    assert "Read-only" in page
    assert "<form" not in page
    assert (answer.status, "user_decision_required" in answer.text) == (403, True)
    assert is_open(lab, gate)


def test_a_teammates_dashboard_takes_no_answer(inside: Loopx) -> None:
    lab = start_lab(inside)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann")
    with serving(lab.root, role="teammate") as served:
        answer = served.answer(gate, "approve")
    assert (answer.status, "role_not_allowed" in answer.text) == (403, True)
    assert is_open(lab, gate)


def test_an_answer_through_the_page_is_the_one_of_the_command_line(asked: tuple[Served, str, Loopx]) -> None:
    served, gate, lab = asked
    answer = served.answer(gate, "reject", note="not\r\nyet", back=f"/goal?goal={GOAL}")
    assert (answer.status, answer.headers["location"]) == (303, f"/goal?goal={GOAL}&answered={gate}")
    decision = lab.ok("todo", "show", gate)["todo"]["decision"]
    assert (decision["verdict"], decision["note"], decision["decided_by"]) == ("reject", "not\nyet", "user")
    (event,) = lab.ok("log", "--action", "gate_answered")["events"]
    assert event["actor"] == "user"


def test_a_form_that_is_sent_twice_answers_once(asked: tuple[Served, str, Loopx]) -> None:
    served, gate, lab = asked
    statuses = [served.answer(gate, "approve", operation_id="op_form").status for _ in range(2)]
    again = served.answer(gate, "approve", operation_id="op_other")
    assert statuses == [303, 303]
    assert (again.status, "already" in again.text) == (409, True)
    assert len(lab.ok("log", "--action", "gate_answered")["events"]) == 1


def test_an_answer_leads_back_to_no_foreign_place(asked: tuple[Served, str, Loopx]) -> None:
    served, gate, _ = asked
    answer = served.answer(gate, "approve", back="//evil.example/")
    assert answer.headers["location"] == f"/?answered={gate}"


def test_the_page_after_an_answer_says_what_was_recorded(asked: tuple[Served, str, Loopx]) -> None:
    served, gate, _ = asked
    assert 'id="receipt"' not in served.page(f"/?answered={gate}")
    served.answer(gate, "approve", note="go on")
    page = served.page(f"/?answered={gate}")
    assert "Approved." in page
    assert "go on" in page
