"""A marked block in somebody's text file: in and out again leaves every byte as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.app.setup.block import MARKDOWN, TOML, Style, find_block, put_block, take_block
from loopx.app.setup.mark import Mark, Wish
from loopx.core.errors import SetupImpossibleError

NOBODY = Wish()
_lines = st.sampled_from(
    [
        b"",
        b"text",
        b"<!-- note -->",
        b"\xff\x00\xe9",
        b"# h",
        b"```",
        b"<!-- loopx:end",
        b" <!-- loopx:setup v1 -->",
        b"\t",
    ]
)
_ends = st.sampled_from([b"\n", b"\r\n", b"\r"])


@st.composite
def _files(draw: st.DrawFn) -> bytes:
    """Any bytes in lines, with or without a byte order mark and a last line end."""
    line_end = draw(_ends)
    text = line_end.join(draw(st.lists(_lines, max_size=5)))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text + draw(st.sampled_from([b"", line_end]))


def body(mark: Mark) -> str:
    return f"for {mark.role}\nand more\n"


@pytest.mark.parametrize("style", [MARKDOWN, TOML], ids=["markdown", "toml"])
@given(data=_files())
def test_in_and_out_leaves_every_byte(style: Style, data: bytes) -> None:
    written = put_block(data, style, body, NOBODY, 0)
    assert written.startswith(data)
    assert put_block(written, style, body, NOBODY, 0) == written
    changed = put_block(written, style, body, Wish("worker"), 0)
    assert b"for worker" in changed
    assert take_block(written, style) == data
    assert take_block(changed, style) == data


@given(data=_files(), later=_files())
def test_what_is_written_behind_it_later_stays_and_stays_a_line(data: bytes, later: bytes) -> None:
    left = take_block(put_block(data, MARKDOWN, body, NOBODY, 0) + later, MARKDOWN)
    assert left.startswith(data)
    assert left.endswith(later)
    between = left[len(data) : len(left) - len(later)]
    is_open = bool(data and later) and not data.endswith((b"\n", b"\r"))
    assert between in ((b"\n", b"\r\n") if is_open else (b"",))


def test_a_block_that_was_moved_is_still_taken_out_whole() -> None:
    written = put_block(b"one\n", MARKDOWN, body, NOBODY, 0)
    found = find_block(written, MARKDOWN)
    assert found is not None
    moved = written[found.start : found.end] + b"\nx\n" + b"one\n"
    assert take_block(moved, MARKDOWN) == b"x\none\n"


def test_a_block_follows_the_line_ends_of_its_file() -> None:
    written = put_block(b"a\r\n", MARKDOWN, body, NOBODY, 0)
    assert written.count(b"\n") == written.count(b"\r\n")


@pytest.mark.parametrize(
    "data",
    [
        b"<!-- loopx:end -->\n",
        b"<!-- loopx:setup v1 role=lead pad=0+0 at=0 made=0 -->\n",
        b"<!-- loopx:end -->\n<!-- loopx:setup v1 role=lead pad=0+0 at=0 made=0 -->\n",
        b"<!-- loopx:setup v9 new=things -->\n<!-- loopx:end -->\n",
        b"<!-- loopx:setup v1 role=boss pad=0+0 at=0 made=0 -->\n<!-- loopx:end -->\n",
        2 * (b"<!-- loopx:setup v1 role=lead pad=0+0 at=0 made=0 -->\n" + b"<!-- loopx:end -->\n"),
        "text".encode("utf-16"),
    ],
)
def test_broken_marks_and_wide_encodings_are_refused(data: bytes) -> None:
    with pytest.raises(SetupImpossibleError):
        put_block(data, MARKDOWN, body, NOBODY, 0)


def test_a_pad_that_lies_takes_no_text_with_it() -> None:
    data = b"keep\n<!-- loopx:setup v1 role=lead pad=900+900 at=0 made=0 -->\n<!-- loopx:end -->\nkeep too\n"
    assert take_block(data, MARKDOWN) == b"keep\n\nkeep too\n"
