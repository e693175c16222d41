"""What a text may hold, no view is bent by it: widths are counted, controls become signs."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.render.block import Gap, Span, facts, line, table
from loopx.render.plain import plain_text
from loopx.render.width import display_width, harmless, harmless_lines, padded

ESCAPE = "\x1b[31mred\x1b]0;title\x07"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("日本語", 6),
        ("ＡＢ", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("👩\u200d💻", 2),
        ("a\u200bb", 2),
        ("", 0),
    ],
)
def test_columns_are_counted_as_a_terminal_does(text: str, width: int) -> None:
    assert display_width(text) == width
    assert display_width(padded(text, width + 3)) == width + 3


@given(st.text())
def test_no_view_holds_a_control_character_or_a_turning_mark(text: str) -> None:
    seen = harmless(text)
    assert not [c for c in seen if unicodedata.category(c) in ("Cc", "Zl", "Zp")]
    assert not [c for c in seen if unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI")]


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "S", "Zs"))))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_an_escape_sequence_does_not_reach_the_terminal() -> None:
    assert harmless(ESCAPE) == "␛[31mred␛]0;title␇"
    assert harmless("one\r\ntwo\nthree") == "one⏎two⏎three"
    assert harmless_lines("one\r\n\ttwo") == ["one", "    two"]


def test_columns_of_wide_characters_are_aligned() -> None:
    text = plain_text([table(("name", "what"), [("日本", "x"), ("abc", "y")])])
    assert text.split("\n") == ["NAME  WHAT", "日本  x", "abc   y"]


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), min_size=1, max_size=5))
def test_a_row_is_one_line_whatever_its_cells_hold(rows: list[tuple[str, str]]) -> None:
    block = table(("a", "b"), rows)
    assert len(plain_text([block]).split("\n")) == len(rows) + 1


def test_a_column_without_any_value_is_left_out() -> None:
    text = plain_text([table(("a", "b", "c"), [("1", "", "3"), ("4", Span(""), "6")])])
    assert text == "A  C\n1  3\n4  6"


def test_a_fact_keeps_its_lines_under_each_other() -> None:
    text = plain_text([facts([("text", "one\ntwo"), ("none", None), ("empty", "")]), Gap(), line("end")])
    assert text == "text  one\n      two\n\nend"
