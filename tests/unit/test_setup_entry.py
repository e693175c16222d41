"""One entry in somebody's JSON: in and out again leaves every byte as it was, and nothing unproved is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.app.setup.entry import Entry, find_entry, put_entry, take_entry
from loopx.app.setup.mark import Mark, Wish
from loopx.core.errors import SetupImpossibleError

LISTED = Entry(("hooks", "Start"), is_listed=True, value=lambda mark: {"run": str(mark)}, is_like=lambda v: v == "hand")
NAMED = Entry(("servers", "own"), is_listed=False, value=lambda mark: {"env": str(mark)}, is_like=lambda _: True)
ENTRIES = (LISTED, NAMED)
NOBODY = Wish()

_names = st.sampled_from(["hooks", "Start", "servers", "own", "a", "b c", "é", "\n"])
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=8,
)
_documents = st.dictionaries(_names, _values, max_size=4)
_shapes = st.sampled_from([(None, (", ", ": ")), (None, (",", ":")), (2, None), (4, None), ("\t", None)])


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """A JSON object as people and programs write it."""
    indent, separators = draw(_shapes)
    text = json.dumps(draw(_documents), indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    around = draw(st.sampled_from(["", "\n", "  \n", "\n\n"]))
    return (draw(st.sampled_from(["", "\n"])) + text + around).replace("\n", line_end) if "\n" in text else text


def _fits(text: str, entry: Entry) -> bool:
    """Whether the entry has a place there: objects on the way, a list at its end, nothing of its name."""
    at: Any = json.loads(text)
    for key in entry.path[:-1]:
        at = at.get(key, {})
        if not isinstance(at, dict):
            return False
    last = at.get(entry.path[-1], [])
    return isinstance(last, list) and "hand" not in last if entry.is_listed else entry.path[-1] not in at


@pytest.mark.parametrize("entry", ENTRIES, ids=["listed", "named"])
@given(text=_texts(), worker=st.booleans())
def test_in_and_out_leaves_every_byte(entry: Entry, text: str, worker: bool) -> None:
    wish = Wish("worker" if worker else None)
    if not _fits(text, entry):
        with pytest.raises(SetupImpossibleError):
            put_entry(text, entry, wish, 0)
        return
    written = put_entry(text, entry, wish, 0)
    assert json.loads(written) != json.loads(text)
    assert put_entry(written, entry, wish, 0) == written
    changed = put_entry(written, entry, Wish("lead" if worker else "worker"), 0)
    assert take_entry(written, entry) == text
    assert take_entry(changed, entry) == text


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("out", [(0, 1), (1, 0)])
@given(text=_texts())
def test_two_entries_go_in_and_out_in_any_order(order: tuple[int, int], out: tuple[int, int], text: str) -> None:
    if not all(_fits(text, entry) for entry in ENTRIES):
        return
    written = text
    for number in order:
        written = put_entry(written, ENTRIES[number], NOBODY, 0)
    for number in out:
        written = take_entry(written, ENTRIES[number])
    assert json.loads(written) == json.loads(text)
    if out == order[::-1]:
        assert written == text


@given(text=_texts(), indent=st.sampled_from([None, 2, 3]))
def test_a_file_that_a_formatter_went_over_loses_the_entry_and_no_more(text: str, indent: int | None) -> None:
    for entry in ENTRIES:
        if _fits(text, entry):
            formatted = json.dumps(json.loads(put_entry(text, entry, NOBODY, 0)), indent=indent)
            assert json.loads(take_entry(formatted, entry)) == json.loads(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "servers": {\n    "own": {"env": "M"}\n  }\n}'),
        ("{\n}\n", '{\n  "servers": {\n    "own": {"env": "M"}\n  }\n}\n'),
        ('{"a":1}', '{"a":1, "servers": {"own": {"env": "M"}}}'),
        (
            '{\n\t"servers": {\n\t\t"x": 1\n\t}\n}',
            '{\n\t"servers": {\n\t\t"x": 1,\n\t\t"own": {"env": "M"}\n\t}\n}',
        ),
    ],
)
def test_the_entry_is_written_in_the_manner_of_the_file(before: str, after: str) -> None:
    written = put_entry(before, NAMED, NOBODY, 0)
    shown = find_entry(written, NAMED)
    assert shown is not None
    joined = written.replace(str(shown.mark), "M")
    assert " ".join(joined.split()) == " ".join(after.split()).replace('{"env": "M"}', _spelt(joined))
    assert joined.count("\n") >= after.count("\n")


def _spelt(text: str) -> str:
    start = text.index("{", text.index('"own"'))
    return " ".join(text[start : text.index("}", start) + 1].split())


def test_what_others_add_around_it_stays() -> None:
    written = put_entry("{}", LISTED, NOBODY, 0)
    document = json.loads(written)
    document["hooks"]["Start"].insert(0, "first")
    document["hooks"]["Start"].append("last")
    document["more"] = 1
    left = json.loads(take_entry(json.dumps(document, indent=2), LISTED))
    assert left == {"hooks": {"Start": ["first", "last"]}, "more": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '"x"',
        "{",
        '{"a": 1} // comment',
        '{"a": 1,}',
        '{"hooks": [], "servers": 1}',
        '{"hooks": {"Start": {}}, "servers": {"own": {}}}',
        '{"hooks": {"Start": ["hand"]}, "servers": {"own": null}}',
        '{"hooks": {}, "hooks": {}, "servers": {}, "servers": {}}',
        '{"hooks": {"Start": [{"run": "loopx:setup v2 anything"}]}, "servers": {"own": {"env": "loopx:setup v99"}}}',
        "[" * 100_000,
    ],
)
@pytest.mark.parametrize("entry", ENTRIES, ids=["listed", "named"])
def test_what_cannot_be_proved_is_refused(entry: Entry, text: str) -> None:
    with pytest.raises(SetupImpossibleError):
        put_entry(text, entry, NOBODY, 0)


def test_a_file_without_the_entry_is_left_alone() -> None:
    assert take_entry('{"hooks": 1}', LISTED) == '{"hooks": 1}'


def test_who_the_sessions_are_stays_until_another_is_named() -> None:
    first = put_entry("{}", NAMED, Wish("worker", "ann"), 0)
    again = put_entry(first, NAMED, NOBODY, 0)
    assert again == first
    found = find_entry(put_entry(first, NAMED, Wish(agent_id="bob"), 0), NAMED)
    assert found is not None
    assert (found.mark.role, found.mark.agent_id) == ("worker", "bob")
    assert Mark("lead").wished(NOBODY) == Mark("lead")
