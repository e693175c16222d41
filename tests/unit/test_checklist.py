"""Reading checklists: every shape that people write, every line that cannot be taken, nothing in silence."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.checklist import Item, read_checklist
from loopx.core.checklist_line import BoxState, unquoted
from loopx.core.errors import ImportInvalidError

OPEN, DONE = BoxState.OPEN, BoxState.DONE


def items(text: str) -> tuple[Item, ...]:
    """The items of a file without a bad line."""
    checklist = read_checklist(text.encode())
    assert checklist.rejections == ()
    return checklist.items


def texts(text: str) -> list[str]:
    return [item.text for item in items(text)]


def tree(text: str) -> dict[str, str | None]:
    """Each first line and the first line of what encloses it."""
    found = items(text)
    return {item.text: None if item.parent is None else found[item.parent].text for item in found}


def rejected(data: bytes) -> list[tuple[int | None, str]]:
    return [(row.line, row.reason_code) for row in read_checklist(data).rejections]


# --- boxes -------------------------------------------------------------------------------


@pytest.mark.parametrize("bullet", ["-", "*", "+", "1.", "27)"])
def test_every_bullet_may_carry_a_box(bullet: str) -> None:
    assert texts(f"{bullet} [ ] write it") == ["write it"]


@pytest.mark.parametrize(
    ("box", "state"),
    [
        (" ", OPEN),
        ("x", DONE),
        ("X", DONE),
        ("/", BoxState.STARTED),
        ("-", BoxState.CANCELLED),
        ("~", BoxState.CANCELLED),
    ],
)
def test_a_sign_has_one_meaning(box: str, state: BoxState) -> None:
    assert items(f"- [{box}] write it")[0].state is state


@pytest.mark.parametrize(
    "line", ["plain", "- plain", "- [x](page.md)", "- [ ][ref]", "- [1] Smith", "- [abc] x", "[ ] x", "- [^1]: x"]
)
def test_what_is_no_box_is_no_item(line: str) -> None:
    assert items(line) == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("- [?] what", "box_unknown"),
        ("- [v] what", "box_unknown"),
        ("- [] what", "box_malformed"),
        ("- [ x] what", "box_malformed"),
        ("- [\u00a0] what", "box_malformed"),
        ("- [x]what", "box_unseparated"),
        ("- [ ]", "box_empty"),
        ("- [ ]   \n\nprose", "box_empty"),
    ],
)
def test_what_was_meant_as_a_box_and_is_none_is_listed(line: str, reason: str) -> None:
    assert rejected(f"# T\n{line}\n".encode()) == [(2, reason)]


def test_a_priority_tag_and_everything_else_stays_in_the_text() -> None:
    text = "[P0] Fix **it** (#12) @ann `$1` {0} %s <b> 🧑‍🚀 日本 \\n --flag"
    assert texts(f"- [ ] {text}") == [text]


# --- nesting and continuation ------------------------------------------------------------


@pytest.mark.parametrize("indent", ["  ", "   ", "    ", "\t", " \t"])
def test_an_indented_item_is_inside_the_one_above(indent: str) -> None:
    text = f"- [ ] a\n{indent}- [ ] b\n{indent}{indent}- [ ] c\n{indent}- [ ] d\n- [ ] e"
    assert tree(text) == {"a": None, "b": "a", "c": "b", "d": "a", "e": None}


def test_one_space_is_sloppiness_and_no_nesting() -> None:
    assert tree("- [ ] a\n - [ ] b") == {"a": None, "b": None}


def test_an_item_under_a_plain_bullet_belongs_to_the_item_around_both() -> None:
    assert tree("- [ ] a\n- plain\n  - [ ] b") == {"a": None, "b": None}
    found = items("- [ ] a\n  - plain\n    - [ ] b")
    assert [item.text for item in found] == ["a\n- plain", "b"]
    assert found[1].parent == 0


def test_indented_lines_are_the_rest_of_the_text_and_prose_at_the_margin_is_not() -> None:
    text = "1. [ ] a\n   more\n\n     deeper\nprose\n   not a's\n- [ ] b\n\n  a paragraph of b"
    assert texts(text) == ["a\nmore\n\n  deeper", "b\n\na paragraph of b"]


def test_headings_end_an_item_and_prose_below_them_is_nobodys() -> None:
    assert tree("- [ ] a\n## S\n  prose\n  - [ ] b") == {"a": None, "b": None}


def test_quoted_boxes_count_and_the_quote_is_a_world_of_its_own() -> None:
    text = "- [ ] a\n> - [ ] b\n>   - [ ] c\n> > - [ ] d\n  - [ ] e"
    assert tree(text) == {"a": None, "b": None, "c": "b", "d": None, "e": None}


# --- what is skipped ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [
        "```\n- [ ] no\n```",
        "~~~~ md\n- [ ] no\n~~~\n- [ ] no\n~~~~~",
        "  ```\n- [ ] no\n```",
        "> ```\n> - [ ] no\n",
        "- ```sh\n  - [ ] no\n  ```",
        "<!--\n- [ ] no\n-->",
        "<!-- - [ ] no -->",
        "<!-- a\n- [ ] no -->",
    ],
)
def test_boxes_in_code_and_comments_are_no_work_and_are_counted(block: str) -> None:
    checklist = read_checklist(f"{block}\n- [ ] yes\n".encode())
    assert [item.text for item in checklist.items] == ["yes"]
    assert checklist.rejections == ()
    assert checklist.ignored == block.count("- [ ] no") - block.startswith("<!-- - [")


def test_code_under_an_item_is_part_of_its_text() -> None:
    assert texts("- [ ] run it\n  ```sh\n  - [ ] x\n  ```\n- [ ] b") == ["run it\n```sh\n- [ ] x\n```", "b"]


def test_inline_code_of_three_ticks_opens_nothing() -> None:
    assert texts("text\n``` a ``` b\n- [ ] yes") == ["yes"]


@pytest.mark.parametrize(("block", "reason"), [("```", "code_unclosed"), ("<!-- a", "comment_unclosed")])
def test_a_block_that_never_ends_swallows_nothing_in_silence(block: str, reason: str) -> None:
    assert rejected(f"- [ ] a\n\n{block}\n- [ ] b\n".encode()) == [(3, reason)]


# --- lines that cannot be taken ----------------------------------------------------------


def test_a_conflict_is_refused_with_every_line_that_it_makes_doubtful() -> None:
    text = b"- [ ] a\n<<<<<<< ours\n- [ ] b\n||||||| base\n- [ ] c\n=======\nprose\n- [x] b\n>>>>>>> theirs\n- [ ] d\n"
    assert rejected(text) == [
        (2, "conflict_marker"),
        (3, "in_conflict"),
        (4, "conflict_marker"),
        (5, "in_conflict"),
        (6, "conflict_marker"),
        (8, "in_conflict"),
        (9, "conflict_marker"),
    ]
    assert [item.text for item in read_checklist(text).items] == ["a", "d"]


def test_an_underlined_title_is_no_conflict() -> None:
    assert texts("Title\n=======\n- [ ] a") == ["a"]


def test_a_line_that_is_no_text_is_listed_and_the_others_are_read() -> None:
    data = b"- [ ] a\n- [ ] \xff\n- [ ] b\n"
    assert rejected(data) == [(2, "not_utf8")]
    assert [item.text for item in read_checklist(data).items] == ["a", "b"]
    assert rejected(b"- [ ] a\n- [ ] b\x00c\n") == [(2, "nul")]


@pytest.mark.parametrize("data", [b"\xff\xfe- \x00[\x00", b"\xfe\xff\x00-", b"\x7fELF\x00\xff\x80"])
def test_a_file_that_is_no_text_is_refused_whole(data: bytes) -> None:
    with pytest.raises(ImportInvalidError):
        read_checklist(data)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end: str) -> None:
    text = "- [ ] a\n  more\n- [x] b\n"
    assert read_checklist(("\ufeff" + text.replace("\n", end)).encode()) == read_checklist(text.encode())


def test_a_line_separator_inside_a_text_ends_no_line() -> None:
    assert texts("- [ ] a\u2028b\x0bc\x85d") == ["a\u2028b\x0bc\x85d"]


def test_a_text_longer_than_a_todo_may_be_is_listed() -> None:
    assert rejected(b"- [ ] " + b"x" * 1_000_001) == [(1, "text_too_long")]
    assert rejected(b"- [ ] " + b"x" * 1_000_000) == []


def test_what_is_inside_a_bad_item_belongs_to_the_one_around_it() -> None:
    checklist = read_checklist(b"- [ ] a\n  - [?] b\n    - [ ] c\n")
    assert [(item.text, item.parent) for item in checklist.items] == [("a", None), ("c", 0)]


@pytest.mark.parametrize(
    "line",
    [b"x" * 10**6, b"- [ ] " + b"#" * 10**6, b" " * 10**6 + b"- [ ] a", b"> " * 10**5, b"`" * 10**6 + b"a`",
     b"- " * 10**5, b"#" * 10**6, b"1" * 10**6, b"\t" * 10**5 + b"x", b"- [ ] " + b"[" * 10**6],
)  # fmt: skip
def test_a_line_of_a_megabyte_is_read_in_linear_time(line: bytes) -> None:
    began = time.process_time()
    read_checklist(line)
    assert time.process_time() - began < 5  # a quadratic pattern takes minutes


# --- identity ----------------------------------------------------------------------------


def ids(text: str) -> list[str]:
    return [item.source_id for item in items(text)]


@pytest.mark.parametrize(
    "changed",
    [
        "# Title\n- [x] [P0] a  b\n  - [ ] c",  # ticked, another priority, other spaces
        "# Title\n- [ ] a b\n  details\n    - [x] c",
        "# Title\n- [ ] new\n- [ ] a b\n  - [ ] new\n  - [ ] c",
    ],
)
def test_an_item_is_known_again_by_its_place_and_its_first_line(changed: str) -> None:
    assert set(ids("# Title\n- [ ] a b\n  - [ ] c")) <= set(ids(changed))


@pytest.mark.parametrize("changed", ["# T\n- [ ] B\n  - [ ] c", "# U\n- [ ] b\n  - [ ] c", "# T\n- [ ] b\n- [ ] c"])
def test_another_text_section_or_parent_is_another_item(changed: str) -> None:
    assert ids("# T\n- [ ] b\n  - [ ] c")[1] not in ids(changed)


def test_equal_texts_are_told_apart_by_their_order() -> None:
    found = ids("- [ ] a\n- [ ] a\n- [x] a\n## S\n- [ ] a")
    assert len(set(found)) == 4


def test_a_text_in_another_unicode_spelling_is_the_same_item() -> None:
    assert ids("- [ ] caf\u00e9") == ids("- [ ] cafe\u0301")


def test_mending_a_bad_line_does_not_rename_what_is_inside_it() -> None:
    before = read_checklist(b"- [?] a\n  - [ ] b\n").items[0].source_id
    assert before == items("- [ ] a\n  - [ ] b\n")[1].source_id


# --- everything that there is ------------------------------------------------------------

LINES = st.lists(
    st.sampled_from(
        ("", "  ", "\t", "> ", "- ", "1. ", "- [ ] ", "* [x] ", "- [?] ", "```", "<!--", "-->", "## ", "a", "é")
    )
    | st.text(max_size=4),
    max_size=5,
).map("".join)


@given(st.lists(LINES, max_size=12).map("\n".join))
def test_any_text_gives_items_in_order_with_parents_before_them(text: str) -> None:
    checklist = read_checklist(text.encode())
    assert [item.line for item in checklist.items] == sorted({item.line for item in checklist.items})
    assert len({item.source_id for item in checklist.items}) == len(checklist.items)
    for place, item in enumerate(checklist.items):
        assert item.text == item.text.strip() != ""
        assert item.parent is None or item.parent < place


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(ImportInvalidError):
        read_checklist(data)


def test_quotes_are_taken_off_as_far_as_asked() -> None:
    assert unquoted("> > a") == (2, "a")
    assert unquoted("> > a", at_most=1) == (1, "> a")
    assert unquoted("> a", at_most=0) == (0, "> a")
