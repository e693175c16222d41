"""What the pages show: everything is reachable, texts are inert, nothing of the machine leaks, errors are pages."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NoReturn

import pytest

from loopx.app.worker import Enrolment, Toll, end_worker, start_worker
from loopx.core.errors import StorageFaultError
from loopx.core.worker import Ending
from loopx.web.guard import HEADERS
from loopx.web.pages import PAGES
from tests.support.cli import Loopx
from tests.support.fakes import START, FakeClock
from tests.support.lab import GOAL, add, add_gate, lease, start_lab
from tests.support.project import call, opened
from tests.web import sample as week
from tests.web.served import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web.sample import Sample
    from tests.web.served import Served

VOID = {"meta", "link", "input", "img", "br", "hr"}
RLO = "\u202e"
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</textarea></script><svg onload=alert(1)>",
    "\"'><a href='javascript:alert(1)'>x</a>",
    "{{ 7 * 7 }}{% raw %}${7*7}#{7*7}",
    "&lt;b&gt; &amp; &#x3c;script&#x3e;",
    f"approve {RLO}reject",
    "bell \x07 escape \x1b[31m next\u2028line",
    "[P0] \u200f\u05e9\u05dc\u05d5\u05dd mixed with English",
)


class Tree(HTMLParser):
    """The elements and texts of a page; one that is not well nested fails its test."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, tag
        assert self._open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def links(self) -> Iterator[str]:
        for _, attributes in self.elements:
            for name in ("href", "src", "action"):
                target = attributes.get(name)
                if target is not None:
                    yield target


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, list[str]]]:
    """A goal in which every text that an agent can write is hostile."""
    lab = start_lab(Loopx(tmp_path_factory.mktemp("hostile"), in_process=True))
    ids = []
    for number, text in enumerate(HOSTILE):
        held = add(lab, text, "--required-decision-scope", f"other:action:k{number}", "--action-kind", "odd")
        reach = ("--decision-scope", f"other:action:k{number}", "--blocks-agent", "ann", "--unblocks-todo-id", held)
        gate = add(lab, text, "--role", "user", "--task-class", "user_gate", *reach)
        lab.ok("todo", "update", held, "--reason", text, "--priority", "P1")
        ids += [held, gate]
    add(lab, "long " + "x" * 20_000)
    with serving(lab.root) as served:
        yield served, ids


def addresses(sample: Sample) -> list[str]:
    goal = f"?goal={week.GOAL}"
    pages = [
        "/",
        "/inbox",
        *(f"/{name}{goal}" for name in ("goal", "board", "graph", "todos", "events", "workers", "budget")),
    ]
    return [*pages, f"/todos/{sample.ids['api']}", f"/todos/{sample.ids['q_api']}", f"/todos/{sample.ids['done1']}"]


def test_every_link_of_every_page_leads_somewhere(site: Served, sample: Sample) -> None:
    waiting, seen = addresses(sample), set[str]()
    while waiting and len(seen) < 200:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = site.get(path)
        assert answer.status == 200, (path, answer.status)
        if answer.headers["content-type"].startswith("text/html"):
            tree = Tree(answer.text)
            ids = {attributes["id"] for _, attributes in tree.elements if "id" in attributes}
            for target in tree.links():
                assert target.startswith(("/", "#")), (path, target)
                assert target[0] != "#" or target[1:] in ids, (path, target)
                if target[0] == "/" and "/answer" not in target:
                    waiting.append(target.partition("#")[0])
    assert len(seen) > 30


def test_a_page_names_each_part_once_and_labels_what_can_be_typed(site: Served, sample: Sample) -> None:
    for path in addresses(sample):
        tree = Tree(site.page(path))
        ids = [attributes["id"] for _, attributes in tree.elements if "id" in attributes]
        assert len(ids) == len(set(ids)), path
        named = {attributes.get("for") for tag, attributes in tree.elements if tag == "label"}
        for tag, attributes in tree.elements:
            if tag == "textarea":
                assert attributes["id"] in named, path
            for name in ("aria-labelledby",):
                assert attributes.get(name) in {None, *ids}, (path, attributes)
        assert sum(tag == "h1" for tag, _ in tree.elements) == 1, path
        assert sum(tag == "main" for tag, _ in tree.elements) == 1, path


def test_no_page_asks_another_machine_or_carries_code_of_its_own(site: Served, sample: Sample) -> None:
    for path in addresses(sample):
        for tag, attributes in Tree(site.page(path)).elements:
            assert not any(name.startswith("on") or name == "style" for name in attributes), (path, tag)
            assert tag != "style", path
            if tag == "script":
                assert (attributes.get("src") or "").startswith("/static/"), path


def test_no_page_tells_where_the_project_is(site: Served, sample: Sample) -> None:
    for path in [*addresses(sample), "/todos/todo_nowhere", "/board?goal=nowhere", "/todos?cursor=x"]:
        assert str(sample.loopx.root) not in site.get(path).text, path


def test_hostile_texts_are_texts(hostile: tuple[Served, list[str]]) -> None:
    served, ids = hostile
    paths = ["/", "/inbox", "/goal", "/board", "/graph", "/todos", "/events", *(f"/todos/{todo_id}" for todo_id in ids)]
    for path in paths:
        tree = Tree(served.page(path))
        for tag, attributes in tree.elements:
            assert not any(name.startswith("on") for name in attributes), path
            assert not str(attributes.get("href", "")).startswith("javascript"), path
            assert tag != "script" or (attributes["src"] or "").startswith("/static/"), path
            assert tag != "img" or attributes["src"] == "/static/icon.svg", path
        assert RLO not in tree.text
        assert "\x1b" not in tree.text


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_text_is_shown_as_it_is(hostile: tuple[Served, list[str]], number: int) -> None:
    served, ids = hostile
    shown = Tree(served.page(f"/todos/{ids[2 * number]}")).text
    plain = HOSTILE[number].replace(RLO, "‹202E›").replace("\x07", "␇").replace("\x1b", "␛")
    plain = plain.replace("\u2028", "‹2028›").replace("\u200f", "‹200F›")
    assert plain in shown


def test_a_search_word_is_shown_inert(site: Served) -> None:
    tree = Tree(site.page("/todos?text=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"))
    (field,) = [attributes for tag, attributes in tree.elements if tag == "input" and attributes.get("name") == "text"]
    assert field["value"] == '"><script>alert(1)</script>'


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/todos/todo_nowhere", 404, "todo_not_found"),
        ("/board?goal=nowhere", 404, "goal_not_found"),
        ("/board", 400, "usage"),
        ("/todos?cursor=x", 400, "usage"),
        ("/todos?status=odd", 400, "usage"),
        ("/todos?claimed_by=nobody", 404, "agent_not_registered"),
        ("/events?before=-1", 400, "usage"),
        ("/graph?status=%00", 400, "usage"),
        ("/todos?goal=ship-parser&runnable_for=nobody", 404, "agent_not_registered"),
    ],
)
def test_a_wrong_address_is_answered_with_a_page(site: Served, path: str, status: int, code: str) -> None:
    answer = site.get(path)
    assert answer.status == status
    tree = Tree(answer.text)
    assert code in tree.text
    assert "Overview" in tree.text


def test_where_several_goals_could_be_meant_they_can_be_chosen(site: Served) -> None:
    links = set(Tree(site.get("/board").text).links())
    assert {f"/board?goal={name}" for name in (week.GOAL, week.OTHER)} <= links


def test_an_unknown_page_is_a_page_too(site: Served) -> None:
    answer = site.get("/nowhere")
    assert (answer.status, "No such page" in answer.text) == (404, True)


def test_a_registry_that_cannot_be_read_is_told_without_its_place(inside: Loopx) -> None:
    lab = start_lab(inside)
    with serving(lab.root) as served:
        served.page("/")
        (lab.root / ".loopx" / "registry.yaml").write_text("goals: [", encoding="utf-8")
        answer = served.get("/")
    assert answer.status == 403
    assert "registry_invalid" in answer.text
    assert str(lab.root) not in answer.text


def test_a_refusal_is_told_without_the_paths_in_it(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: object, __: object) -> NoReturn:
        raise StorageFaultError("cannot read /home/ann/work/notes.txt", hint="Look at /home/ann/work.")

    monkeypatch.setitem(PAGES, "/inbox", refused)
    lab = start_lab(inside)
    with serving(lab.root) as served:
        answer = served.get("/inbox")
    assert (answer.status, "storage_fault" in answer.text) == (503, True)
    assert "[local path]" in answer.text
    assert "/home/ann" not in answer.text


def test_a_project_without_todos_says_what_to_do(inside: Loopx) -> None:
    lab = start_lab(inside)
    with serving(lab.root) as served:
        assert "Nothing waits for you" in served.page("/")
        for path in ("/goal", "/board", "/graph", "/todos", "/workers", "/budget", "/events"):
            Tree(served.page(path))


def test_a_fresh_clone_without_a_database_is_an_empty_project(inside: Loopx) -> None:
    lab = start_lab(inside)
    for file in (lab.root / ".loopx").glob("loopx.db*"):
        file.unlink()
    with serving(lab.root) as served:
        assert GOAL in served.page("/")
    assert not (lab.root / ".loopx" / "loopx.db").exists()


def test_a_bug_is_told_without_what_it_was(inside: Loopx, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object, __: object) -> NoReturn:
        raise RuntimeError("a secret of the machine")

    monkeypatch.setitem(PAGES, "/inbox", broken)
    lab = start_lab(inside)
    with serving(lab.root) as served:
        answer = served.get("/inbox")
        assert served.get("/").status == 200
    assert (answer.status, "A bug in loopx" in answer.text) == (500, True)
    assert "secret" not in answer.text
    assert HEADERS.items() <= answer.headers.items()


def test_odd_names_of_goals_and_agents_have_pages(inside: Loopx) -> None:
    inside.ok("init", "--goal-id", "a/ü:1@x", "--objective", "Odd", "--agent", "é.b/c")
    todo = inside.ok("todo", "add", "--text", "work")["todo"]["todo_id"]
    inside.ok("goal", "add", "--goal-id", "other", "--objective", "Two")
    with serving(inside.root) as served:
        links = set(Tree(served.page("/")).links()) | set(Tree(served.page(f"/todos/{todo}")).links())
        for target in links:
            if target[0] == "/" and not target.startswith("/static/"):
                Tree(served.page(target))
        assert "a/ü:1@x" in Tree(served.page("/goal?goal=a%2F%C3%BC%3A1%40x")).text


def test_a_todo_whose_goal_is_gone_is_still_shown(inside: Loopx) -> None:
    lab = start_lab(inside)
    todo, gate = add(lab, "left behind"), add_gate(lab, "direction:action:way", "--global-gate")
    lab.ok("goal", "add", "--goal-id", "other", "--objective", "Two")
    registry = lab.root / ".loopx" / "registry.yaml"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(re.sub(r"  - id: lab\n(    .*\n)*", "", text), encoding="utf-8")
    with serving(lab.root) as served:
        assert "left behind" in served.page(f"/todos/{todo}")
        served.page(f"/todos/{gate}")
        assert "Nothing waits for you" in served.page("/inbox")


def test_archived_work_is_found_and_shown(inside: Loopx, clock: FakeClock) -> None:
    lab = start_lab(inside)
    todo = add(lab, "long done")
    lab.ok("todo", "complete", todo, "--claimed-by", "ann", "--evidence", "seen", "--no-follow-up", "--reason", "x")
    clock.advance(40 * 24 * 3_600_000_000)
    lab.ok("todo", "archive", "--older-than", "30d")
    with serving(lab.root, clock=clock) as served:
        assert todo not in served.page("/todos")
        assert todo in served.page("/todos?archived=yes")
        assert "seen" in served.page(f"/todos/{todo}")
        assert "long done" in served.page("/events")


# --- what stands where -------------------------------------------------------------------


def lane(text: str, name: str) -> str:
    """The part of the board between a lane's start and the next one's."""
    return text.partition(f'id="part-{name}"')[2].partition("<section")[0]


def test_the_board_puts_each_todo_where_the_decision_has_it(inside: Loopx, clock: FakeClock) -> None:
    lab = start_lab(inside)
    free, held, first = add(lab, "free"), add(lab, "held"), add(lab, "first")
    after = add(lab, "after", "--blocked-by", first)
    gated = add(lab, "gated", "--required-decision-scope", "direction:action:way")
    gate = add_gate(lab, "direction:action:way", "--blocks-agent", "ann")
    asleep = add(lab, "asleep", "--status", "deferred", "--resume-when", "in:2d")
    monitor = add(lab, "watch", "--task-class", "continuous_monitor", "--poll-every", "1h", "--next-due-at", "in:1h")
    done = add(lab, "done")
    lease(lab, held, "bob", "--ttl", "1h")
    lab.ok("todo", "complete", done, "--claimed-by", "ann", "--evidence", "seen", "--no-follow-up", "--reason", "x")
    places = {
        "for_you": [gate],
        "ready": [free, first],
        "in_hand": [held],
        "waiting": [after, gated],
        "later": [asleep, monitor],
        "closed": [done],
    }
    with serving(lab.root, clock=clock) as served:
        board = served.page("/board")
        for name, ids in places.items():
            part = lane(board, name)
            assert re.findall(r'id="card-(todo_\w+)"', part) == ids, name
        assert "GATED" in lane(board, "waiting")
        assert "LEASED" in lane(board, "in_hand")
        clock.advance(3_600_000_000)
        later = served.page("/board")
    assert f'id="card-{held}"' in lane(later, "ready")
    assert f'id="card-{monitor}"' in lane(later, "ready")


def test_a_question_says_what_it_holds_up(inside: Loopx) -> None:
    lab = start_lab(inside)
    work = [add(lab, f"work {number}", "--required-decision-scope", "direction:action:way") for number in range(7)]
    add_gate(lab, "direction:action:way", "--blocks-agent", "ann")
    with serving(lab.root) as served:
        page = served.page("/")
    assert "Holds up 7 todos" in page
    assert all(f"/todos/{todo_id}" in page for todo_id in work[:5])
    assert "and 2 more" in page


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        (("--global-gate",), "Holds up everybody."),
        (("--blocks-agent", "ann"), "Holds up all work of"),
        ((), "does not say whom it holds"),
    ],
)
def test_a_gate_on_a_lane_on_everybody_or_on_nobody_says_so(inside: Loopx, reach: tuple[str, ...], words: str) -> None:
    lab = start_lab(inside)
    add_gate(lab, "direction:action:way", *reach)
    with serving(lab.root) as served:
        assert words in served.page("/")


def test_a_todo_tells_why_for_each_agent(inside: Loopx) -> None:
    lab = start_lab(inside)
    todo = add(lab, "needs a shell", "--required-capability", "shell", "--excluded-agent", "bob")
    with serving(lab.root) as served:
        tree = Tree(served.page(f"/todos/{todo}"))
        one = Tree(served.page(f"/todos/{todo}?agent=bob"))
    assert "a tool is missing" in tree.text
    assert "this agent is excluded from it" in tree.text
    assert "a tool is missing" in one.text
    assert "ann not now" not in " ".join(one.text.split())


def test_a_worker_is_told_while_it_runs_and_after_its_end(inside: Loopx) -> None:
    lab = start_lab(inside)
    with opened(lab.root) as project:
        enrolment = Enrolment("teammate", "sh /home/ann/run.sh")
        worker = start_worker(project, call("worker_started", "ann"), enrolment)
        with serving(lab.root) as served:
            running = Tree(served.page("/workers")).text
            end_worker(project, call("worker_ended", "ann"), worker, Toll(Ending.IDLE, tasks=3, completed=2))
            ended = Tree(served.page("/workers")).text
    assert "Runs as teammate in sh [local path] since" in running
    assert "(idle) after 3 tasks, 2 completed" in ended


def test_times_are_told_from_the_projects_clock(inside: Loopx, clock: FakeClock) -> None:
    lab = start_lab(inside)
    todo = add(lab, "work")
    clock.advance(5 * 3_600_000_000)
    with serving(lab.root, clock=clock) as served:
        page = served.page(f"/todos/{todo}")
    assert START == 1_767_225_600_000_000
    assert '<time datetime="2026-01-01T00:00:00Z" title="2026-01-01 00:00:00 UTC">5 h ago</time>' in page


def test_a_history_longer_than_a_page_goes_on(inside: Loopx) -> None:
    lab = start_lab(inside)
    todo = add(lab, "work")
    for number in range(120):
        lab.ok("todo", "update", todo, "--text", f"work {number}")
    with serving(lab.root) as served:
        first = served.page("/events")
        (older,) = [target for target in Tree(first).links() if "before=" in target]
        second = served.page(older)
    assert first.count('class="event"') == 100
    assert second.count('class="event"') == 22
    assert "Newest" in second
