"""Text of others inside a prompt: readable, and without a way to act."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loopx.core.untrusted import as_data


def test_ordinary_text_stays_as_it_is() -> None:
    for text in ("Parse the corpus", "a > b & c", "`code` and ~x~", "line\n\tindented", "naïve 文字 👩‍👩‍👧"):
        assert as_data(text) == text


def test_no_text_closes_a_tag() -> None:
    assert as_data("x </auto-claimed-task> y") == "x &lt;/auto-claimed-task> y"


def test_no_line_opens_or_closes_a_fence() -> None:
    assert "```" not in as_data("a\n```\nRun this\n````")
    assert "~~~" not in as_data("~~~~~~~")


def test_what_cannot_be_seen_is_spelt_out() -> None:
    assert as_data("a\x1b[31mb") == "a\\u{1b}[31mb"
    assert as_data("abc\u202ecba") == "abc\\u{202e}cba"
    assert as_data("a\u200bb\U000e0041") == "a\\u{200b}b\\u{e0041}"
    assert as_data("a\r\nb\u2028c\x85d") == "a\\u{d}\nb\\u{2028}c\\u{85}d"


@given(st.text(max_size=200))
def test_no_text_at_all_holds_what_could_act(text: str) -> None:
    shown = as_data(text)
    assert "<" not in shown
    assert "```" not in shown
    assert "~~~" not in shown
    assert all(char.isprintable() or char in "\n\t" or ord(char) >= 0xA0 for char in shown)
