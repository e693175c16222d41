"""Materials: which references are sound, how an agent stands to one, and what a handoff says of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import UsageError
from loopx.core.goal import Material
from loopx.core.material import (
    MAX_HANDOFF_REFS,
    MaterialState,
    Reference,
    ReferenceKind,
    Sighting,
    Standing,
    parse_reference,
    parse_revision,
    project_frontier,
    required_of,
    standing_of,
)

SPEC = Material("spec", "docs/spec.md", "specification", "field names", ("ann",))


@pytest.mark.parametrize(
    ("spelling", "reference"),
    [
        ("docs/api.md", Reference(ReferenceKind.FILE, "docs/api.md")),
        ("./docs//api v2.md", Reference(ReferenceKind.FILE, "docs/api v2.md")),
        ("git:main:docs/api.md", Reference(ReferenceKind.BLOB, "docs/api.md", "main")),
        ("git:v1.2^:docs/a:b", Reference(ReferenceKind.BLOB, "docs/a:b", "v1.2^")),
        (
            "git:github.com/example/project@main:docs/api.md",
            Reference(ReferenceKind.REMOTE_BLOB, "docs/api.md", "main", "git:github.com/example/project"),
        ),
        ("https://example.com/a?page=2#x", Reference(ReferenceKind.URL, "https://example.com/a?page=2#x")),
    ],
)
def test_a_reference_names_a_file_a_blob_or_a_url(spelling: str, reference: Reference) -> None:
    assert parse_reference(spelling) == reference
    assert reference.kind.is_stated == (reference.kind in (ReferenceKind.URL, ReferenceKind.REMOTE_BLOB))


@pytest.mark.parametrize(
    "spelling",
    [
        "",
        " ",
        ".",
        "/etc/passwd",
        "../secret",
        "docs/../../x",
        "~/x",
        r"C:\x",
        "C:x",
        r"docs\..\x",
        ".git/config",
        ".loopx/loopx.db",
        "a\nb",
        "git:main",
        "git:--upload-pack=x:a",
        "git:a..b:x",
        "git:main:../x",
        "git:main:/x",
        "git:@main:x",
        "ftp://example.com/x",
        "file:///etc/passwd",
        "https://",
        "https://me:pw@example.com/x",
        "https://me@example.com/x",
        "https://example.com/?access_token=0a1b2c3d4e5f",
        "https://example.com/a b",
        "x" * 2001,
    ],
)
def test_a_reference_that_could_lead_outside_or_carry_a_secret_is_refused(spelling: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_reference(spelling)
    assert "pw" not in str(refusal.value)
    assert "0a1b2c3d4e5f" not in str(refusal.value)


@pytest.mark.parametrize("text", ["", "two words", "a\x07", "x" * 201, "AK" + "IAIOSFODNN7EXAMPLE", "/home/a/b"])
def test_a_revision_is_a_word_and_no_secret(text: str) -> None:
    with pytest.raises(UsageError):
        parse_revision(text)


@pytest.mark.parametrize(
    ("sighting", "read", "state"),
    [
        (Sighting("r1"), None, MaterialState.REQUIRED_UNREAD),
        (Sighting("r1"), "r1", MaterialState.CURRENT),
        (Sighting("r2"), "r1", MaterialState.STALE),
        (Sighting(fault=MaterialState.MISSING), "r1", MaterialState.MISSING),
        (Sighting(fault=MaterialState.INACCESSIBLE), None, MaterialState.INACCESSIBLE),
        (Sighting(), None, MaterialState.REQUIRED_UNREAD),
        (Sighting(), "r1", MaterialState.CURRENT),
    ],
)
def test_an_agent_stands_to_a_material_in_one_of_five_ways(
    sighting: Sighting, read: str | None, state: MaterialState
) -> None:
    assert standing_of(SPEC, sighting, read).state is state


def test_only_the_agents_that_are_named_must_read() -> None:
    other = SPEC._replace(id="other", required_for=("bob",))
    assert required_of((SPEC, other, SPEC._replace(id="free", required_for=())), "ann") == (SPEC,)


def standing(name: str, state: MaterialState) -> Standing:
    return Standing(SPEC._replace(id=name), state)


def test_a_handoff_names_four_at_most_and_first_those_that_need_reading() -> None:
    states = (MaterialState.CURRENT, MaterialState.REQUIRED_UNREAD, MaterialState.STALE, MaterialState.MISSING)
    found = [standing(f"m{number}", states[number % 4]) for number in range(8)]
    frontier = project_frontier(found)
    assert [ref.material_id for ref in frontier.refs] == ["m3", "m7", "m2", "m6"]
    assert frontier.is_truncated
    assert frontier.required == 8
    assert frontier.counts[MaterialState.STALE] == 2
    assert frontier.counts[MaterialState.INACCESSIBLE] == 0


def test_a_material_that_is_listed_twice_counts_once() -> None:
    frontier = project_frontier([standing("m", MaterialState.STALE), standing("m", MaterialState.STALE)])
    assert (frontier.required, len(frontier.refs), frontier.is_truncated) == (1, 1, False)


@given(st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from(list(MaterialState)))))
def test_the_counts_add_up_and_the_references_are_bounded(rows: list[tuple[str, MaterialState]]) -> None:
    frontier = project_frontier([standing(name, state) for name, state in rows])
    names = {name for name, _ in rows}
    assert frontier.required == len(names) == sum(frontier.counts.values())
    assert len(frontier.refs) == min(len(names), MAX_HANDOFF_REFS)
    assert len({ref.material_id for ref in frontier.refs}) == len(frontier.refs)
    assert frontier.is_truncated == (len(names) > MAX_HANDOFF_REFS)
