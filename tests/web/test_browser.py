"""The dashboard as a person meets it: in a browser, with a mouse, by keyboard, on a phone, in two windows at once."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    expect,
    sync_playwright,
)

from loopx.web.view import ROWS
from tests.support.browser import chromium
from tests.support.cli import Loopx
from tests.support.lab import add, add_gate, ask, start_lab
from tests.web import sample as week
from tests.web.served import serving
from tests.web.test_pages import HOSTILE
from tests.web.test_size import LARGE, grown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from tests.web.sample import Sample
    from tests.web.served import Served


pytestmark = pytest.mark.browser

PATIENCE_MS = 30_000
PHONE = {"width": 375, "height": 812}
SCOPE = "direction:action:way"
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield started
        started.close()


class Visitor:
    """Enters dashboards, each time in a context of its own, and keeps what the pages complain of or ask of others."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    def __call__(self, served: Served, path: str = "/", **options: Any) -> Page:
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        self.contexts.append(context)
        page = context.new_page()
        listen(page, served, self.complaints)
        page.goto(served.dashboard.url)
        page.wait_for_url(f"{served.origin}/")
        if path != "/":
            page.goto(served.origin + path)
        return page

    def leave(self) -> None:
        while self.contexts:
            self.contexts.pop().close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visitor]:
    """A visitor that nothing may complain to."""
    visitor = Visitor(browser)
    yield visitor
    visitor.leave()
    assert visitor.complaints == []


@contextmanager
def shown(root: Path, visit: Visitor) -> Iterator[Served]:
    """A dashboard that ends after its visitor has left, so that a lost connection is nobody's complaint."""
    with serving(root) as served:
        try:
            yield served
        finally:
            visit.leave()


def listen(page: Page, served: Served, complaints: list[str]) -> None:
    def hear(message: ConsoleMessage) -> None:
        if message.type != "log":
            complaints.append(message.text)

    def refuse(dialog: Dialog) -> None:
        complaints.append(dialog.message)
        dialog.dismiss()

    def look(request: Request) -> None:
        if foreign(request.url, served):
            complaints.append(request.url)

    page.on("console", hear)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", refuse)
    page.on("request", look)


def foreign(url: str, served: Served) -> bool:
    return not url.startswith((f"{served.origin}/", "data:"))


@pytest.fixture
def lab(tmp_path: Path) -> Loopx:
    """Two peers, under the machine's own clock."""
    return start_lab(Loopx(tmp_path, in_process=True))


@contextmanager
def gated(lab: Loopx, visit: Visitor) -> Iterator[tuple[Served, str, str]]:
    """A todo that needs an answer, and the gate that asks for it."""
    todo = add(lab, "[P0] Change the way", "--required-decision-scope", SCOPE)
    gate = add_gate(lab, SCOPE, "--blocks-agent", "ann", "--unblocks-todo-id", todo)
    with shown(lab.root, visit) as served:
        yield served, todo, gate


def live(page: Page) -> None:
    expect(page.locator("#live")).to_have_attribute("data-state", "on")


def test_an_answer_changes_what_the_agent_may_do(lab: Loopx, visit: Visitor) -> None:
    with gated(lab, visit) as (served, todo, gate):
        before = ask(lab)
        page = visit(served)
        page.get_by_label("Note").fill("behind a flag")
        page.get_by_role("button", name="Approve").click()
        expect(page.locator("#receipt")).to_contain_text("Approved.")
        expect(page.locator(f"#question-{gate}")).to_have_count(0)
        expect(page.locator("#say")).to_contain_text("Approved.")
        after = ask(lab)
    assert (before["should_run"], before["selected_todo"]) == (False, None)
    assert (after["should_run"], after["selected_todo"]["todo_id"]) == (True, todo)
    assert lab.ok("todo", "show", gate)["todo"]["decision"]["note"] == "behind a flag"


def test_a_refused_answer_is_told_where_it_was_given(lab: Loopx, visit: Visitor) -> None:
    context = visit.browser.new_context()  # its complaints about what is refused are the point
    with gated(lab, visit) as (served, _, gate):
        page = context.new_page()
        page.route("**/live", lambda route: route.abort())  # so that the page does not learn of it first
        page.goto(served.dashboard.url)
        page.wait_for_url(f"{served.origin}/")
        lab.ok("gate", "answer", gate, "--decision", "approve")
        page.get_by_role("button", name="Reject").click()
        expect(page.locator(".failure")).to_contain_text("done")
        context.close()
    assert lab.ok("todo", "show", gate)["todo"]["decision"]["verdict"] == "approve"


def test_an_answer_needs_no_script(lab: Loopx, visit: Visitor) -> None:
    with gated(lab, visit) as (served, _, gate):
        page = visit(served, f"/todos/{gate}", java_script_enabled=False)
        page.get_by_label("Note").fill("plainly")
        page.get_by_role("button", name="Reject").click()
        expect(page.locator("#receipt")).to_contain_text("Rejected.")
        expect(page.locator("#receipt")).to_contain_text("plainly")
    assert lab.ok("todo", "show", gate)["todo"]["decision"]["verdict"] == "reject"


def test_another_window_sees_the_change_at_once(lab: Loopx, visit: Visitor) -> None:
    with gated(lab, visit) as (served, _, gate):
        first, second = visit(served), visit(served)
        live(second)
        assert second.title().startswith("(1)")
        first.get_by_role("button", name="Approve").click()
        expect(second.locator(f"#question-{gate}")).to_have_count(0)
        expect(second).to_have_title(re.compile("^Overview"))
        add(lab, "news of the command line")
        for page in (first, second):
            expect(page.locator("#part-events")).to_contain_text("news of the command line")


def test_what_is_typed_focused_and_unfolded_outlives_a_change(lab: Loopx, visit: Visitor) -> None:
    with gated(lab, visit) as (served, todo, _):
        page = visit(served)
        live(page)
        note = page.get_by_label("Note")
        note.fill("half a sen")
        add(lab, "news")
        expect(page.locator("#part-events")).to_contain_text("news")
        expect(note).to_have_value("half a sen")
        expect(note).to_be_focused()
        page.goto(f"{served.origin}/todos/{todo}")
        live(page)
        page.locator("#why-2 summary").click()
        lab.ok("todo", "claim", todo, "--claimed-by", "bob")
        expect(page.locator("main")).to_contain_text("Claimed by bob")
        assert page.locator("#why-2").get_attribute("open") is not None


def test_it_says_when_it_is_not_live_any_more(lab: Loopx, browser: Browser) -> None:
    context = browser.new_context()  # its complaints about the lost connection are the point
    with serving(lab.root) as served:
        page = context.new_page()
        page.goto(served.dashboard.url)
        live(page)
    expect(page.locator("#live")).to_have_attribute("data-state", "lost")
    expect(page.locator("#live")).to_contain_text("Connecting again")
    context.close()


def test_hostile_texts_are_only_read(lab: Loopx, visit: Visitor) -> None:
    reach = ("--role", "user", "--task-class", "user_gate", "--global-gate", "--decision-scope", SCOPE)
    gate = [add(lab, text, *reach) for text in HOSTILE][2]
    long = add(lab, "<b>long</b> " + "x" * 20_000)
    with shown(lab.root, visit) as served:
        page = visit(served, viewport=PHONE)
        for path in ("/", "/inbox", "/board", "/graph", "/todos", "/events", f"/todos/{gate}", f"/todos/{long}"):
            page.goto(served.origin + path)
            assert page.evaluate("document.querySelectorAll('main b, main script, main img').length") == 0
            assert is_within(page), path
        page.goto(f"{served.origin}/todos/{long}")
        assert page.locator("h1").inner_text() == "<b>long</b> " + "x" * 20_000


def test_even_a_script_that_gets_into_the_page_does_not_run(lab: Loopx, browser: Browser) -> None:
    with serving(lab.root) as served:
        context = browser.new_context()
        page = context.new_page()
        page.goto(served.dashboard.url)
        page.wait_for_url(f"{served.origin}/")
        with pytest.raises(Error):
            page.add_script_tag(content="window.ran = true")
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = true\">')")
        assert page.evaluate("window.ran") is None
        context.close()


@pytest.mark.parametrize("path", ["/", "/board", "/graph", "/todos"])
def test_ten_thousand_todos_are_at_most_five_hundred_rows(
    tmp_path_factory: pytest.TempPathFactory, visit: Visitor, path: str
) -> None:
    with shown(large(tmp_path_factory), visit) as served:
        page = visit(served, path, viewport=PHONE)
        rows = page.locator("main li, main .node").count()
        assert 0 < rows <= ROWS
        assert is_within(page)


_LARGE: list[Path] = []


def large(factory: pytest.TempPathFactory) -> Path:
    """Made once, by the first test that needs it."""
    if not _LARGE:
        _LARGE.append(grown(factory.mktemp("large") / "project", LARGE))
    return _LARGE[0]


def paths_of(sample: Sample) -> list[str]:
    goal = f"?goal={week.GOAL}"
    pages = [f"/{name}{goal}" for name in ("goal", "board", "graph", "todos", "events", "workers", "budget")]
    return ["/", "/inbox", *pages, f"/todos/{sample.ids['api']}", f"/todos/{sample.ids['q_api']}"]


def test_every_page_fits_a_phone_and_complains_of_nothing(site: Served, sample: Sample, visit: Visitor) -> None:
    page = visit(site, viewport=PHONE)
    for path in paths_of(sample):
        page.goto(site.origin + path)
        live(page)
        assert is_within(page), path


def test_a_link_with_the_key_opens_the_page_that_was_meant(site: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.dashboard.url}&to=/board%3Fgoal%3D{week.GOAL}")
    page.wait_for_url(f"{site.origin}/board?goal={week.GOAL}")
    assert site.access.token not in page.content()
    context.close()


def test_the_colours_follow_the_system_and_then_the_reader(site: Served, visit: Visitor) -> None:
    page = visit(site, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(18, 20, 23)"
    page.get_by_role("button", name="Change colours").click()
    assert page.evaluate(ground) == "rgb(246, 246, 243)"
    page.reload()
    assert page.evaluate(ground) == "rgb(246, 246, 243)"


def test_the_keyboard_alone_answers_a_gate(lab: Loopx, visit: Visitor) -> None:
    with gated(lab, visit) as (served, _, gate):
        page = visit(served)
        page.keyboard.press("Tab")
        expect(page.get_by_text("Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        tab_to(page, page.get_by_label("Note"))
        page.keyboard.type("by hand")
        tab_to(page, page.get_by_role("button", name="Approve"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        expect(page.locator("#receipt")).to_contain_text("by hand")
        expect(page.locator("#main")).to_be_focused()
    assert lab.ok("todo", "show", gate)["todo"]["decision"]["verdict"] == "approve"


def test_the_keyboard_alone_moves_about_in_the_graph(lab: Loopx, visit: Visitor) -> None:
    first = add(lab, "first")
    second = add(lab, "second", "--blocked-by", first)
    with shown(lab.root, visit) as served:
        page = visit(served, "/graph")
        canvas = page.locator("#canvas")
        expect(canvas).to_have_attribute("data-on", "")
        canvas.focus()
        boxes = [view_box(page)]
        for key in ("+", "ArrowRight", "ArrowDown", "-", "0"):
            page.keyboard.press(key)
            boxes.append(view_box(page))
        tab_to(page, page.locator(f"#node-{second}"))
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/todos/{second}")
    assert len(set(boxes[:-1])) == 5
    assert boxes[-1] == boxes[0]


def test_the_graph_is_dragged_and_a_click_still_opens_a_todo(lab: Loopx, visit: Visitor) -> None:
    todo = add(lab, "only")
    with shown(lab.root, visit) as served:
        page = visit(served, "/graph")
        expect(page.locator("#canvas")).to_have_attribute("data-on", "")
        before = view_box(page)
        middle = page.locator(f"#node-{todo} .box").bounding_box()
        assert middle is not None
        x, y = middle["x"] + 20, middle["y"] + 20
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 80, y + 40, steps=4)
        page.mouse.up()
        assert view_box(page) != before
        assert page.url.endswith("/graph")
        page.locator(f"#node-{todo}").click()
        page.wait_for_url(f"**/todos/{todo}")


def test_the_goal_can_be_changed_from_anywhere(site: Served, visit: Visitor) -> None:
    page = visit(site, f"/board?goal={week.GOAL}")
    page.locator("#goal-menu summary").click()
    page.locator("#goal-menu").get_by_role("link", name=week.OTHER).click()
    page.wait_for_url(f"**/goal?goal={week.OTHER}")
    expect(page.locator("h1")).to_have_text(week.OTHER)


def is_within(page: Page) -> bool:
    """Whether nothing makes the page scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def view_box(page: Page) -> str:
    return str(page.locator(".graph").get_attribute("viewBox"))


def tab_to(page: Page, target: Any) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("the keyboard does not reach it")
