"""Words and links of the templates: texts stay texts, times and numbers read well."""

from __future__ import annotations

import pytest

from loopx.core.instant import DAY, HOUR, MINUTE, SECOND
from loopx.web.drawing import amount, coded, deed, distance, link, linked, plural, share, shortened, untagged, when
from tests.support.fakes import START

TODO = "todo_0123456789"
TODO_LINK = f'<a href="/todos/{TODO}">{TODO}</a>'


@pytest.mark.parametrize(
    ("away", "words"),
    [
        (0, "just now"),
        (-59 * SECOND, "just now"),
        (-MINUTE, "1 min ago"),
        (-HOUR + 1, "59 min ago"),
        (-HOUR, "1 h ago"),
        (-25 * HOUR, "1 d ago"),
        (SECOND, "in a moment"),
        (90 * MINUTE, "in 1 h"),
        (400 * DAY, "in 400 d"),
    ],
)
def test_a_distance_is_a_whole_number_of_the_greatest_unit(away: int, words: str) -> None:
    assert distance(away) == words


def test_an_instant_shows_its_distance_and_on_hover_itself() -> None:
    shown = when("2026-01-01T00:00:00.500000Z", START + HOUR)
    assert shown == '<time datetime="2026-01-01T00:00:00.500000Z" title="2026-01-01 00:00:00 UTC">59 min ago</time>'
    assert when(None, START) == ""


@pytest.mark.parametrize(
    ("value", "html"),
    [
        (TODO, TODO_LINK),
        (f"<b>{TODO}</b> & more", f"&lt;b&gt;{TODO_LINK}&lt;/b&gt; &amp; more"),
        (("a", TODO), f"a, {TODO_LINK}"),
        ("no_todo_0123456789x", "no_todo_0123456789x"),
        (True, "True"),
    ],
)
def test_ids_become_links_and_nothing_else_does(value: object, html: str) -> None:
    assert linked(value) == html


def test_backticks_become_code() -> None:
    assert coded("run `loopx <x>` now") == "run <code>loopx &lt;x&gt;</code> now"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[P1] Do it", "Do it"),
        ("Do [P1] it", "Do [P1] it"),
        ("[P9] odd", "[P9] odd"),
        ("[P1]", "[P1]"),
        ("a\nb", "a⏎b"),
    ],
)
def test_a_priority_that_is_shown_beside_the_text_is_not_repeated(text: str, shown: str) -> None:
    assert untagged(text) == shown


def test_a_long_question_is_cut_with_a_mark() -> None:
    assert shortened("x" * 1_200) == "x" * 1_200
    assert shortened("x" * 1_201) == "x" * 1_200 + " …"


def test_an_act_reads_as_a_sentence() -> None:
    acts = ("todo_claimed", "task_claimed", "lease_acquired", "agent_registered", "restored")
    assert [deed(act) for act in acts] == ["claimed", "claimed", "took a lease on", "registered agent", "restored"]


def test_numbers_read_well() -> None:
    assert [plural(1, "todo"), plural(10_000, "todo")] == ["1 todo", "10,000 todos"]
    assert [amount(2.5), amount(1_234_567), amount(0)] == ["2.5", "1,234,567", "0"]
    assert [share(1, 4), share(9, 4), share(0, 0)] == [25.0, 100.0, 100.0]


def test_an_address_holds_only_the_words_that_are_there() -> None:
    assert link("/todos", goal="a/b c", cursor=None) == "/todos?goal=a%2Fb+c"
    assert link("/todos", goal=None) == "/todos"
