"""Write scopes as sets of paths: spelling, refusals, and both comparisons against brute force."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loopx.core.errors import WriteScopeInvalidError
from loopx.core.glob import SCOPE_LIMIT, glob_covers, globs_intersect, normalise_write_scope


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("src/**", "src/**"),
        ("./src/**", "src/**"),
        ("././src//core/./x.py", "src/core/x.py"),
        ("docs/", "docs"),
        ("src/*/", "src/*/**"),
        (" docs ", "docs"),
        (".", "**"),
        ("./", "**"),
        ("**/**/a", "**/a"),
        ("src/**/*", "src/**"),
        ("src/**/*/", "src/**/*/**"),
        (".github", ".github"),
        ("...", "..."),
        ("a~", "a~"),
        ("a b/c d", "a b/c d"),
        ("app/[[]id]/page.tsx", "app/[[]id]/page.tsx"),
        ("cafe\u0301", "caf\u00e9"),
    ],
)
def test_a_scope_has_one_spelling(typed: str, canonical: str) -> None:
    assert normalise_write_scope(typed) == canonical
    assert normalise_write_scope(canonical) == canonical


@pytest.mark.parametrize(
    "outside",
    [
        "", "  ", "/", "/src", "//host/share", "..", "../x", "a/../../b", "src/..", "C:/x", "c:x", "C:",
        "~", "~/x", "~root/x", "src\\core", "a\x00b", "a\nb", "a\tb", "\ud800", "!src/**",
        "./~/x", "./C:/x", "./!src", ".//../x", "src/ x", "./ x", "a /b", "{a,b}", "src/{a,b}/x",
        "a**", "**b", "***", "src/**.py",
        "[", "[]", "[!]", "[^a]", "[z-a]", "a[b/c]d", "[/]", "[.", "x" * (SCOPE_LIMIT + 1),
    ],
)  # fmt: skip
def test_what_leaves_the_repository_or_is_unclear_is_refused_and_never_dropped(outside: str) -> None:
    with pytest.raises(WriteScopeInvalidError) as refusal:
        normalise_write_scope(outside)
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("left", "right", "meet"),
    [
        ("src/**/*.py", "src/core/*", True),
        ("src/**/*.py", "docs/**", False),
        ("./src/**", "src", True),
        ("docs", "docs/a/b.md", True),
        ("docs", "docs2/a", False),
        ("docs", "documents", False),
        ("src/*", "src/core/x.py", False),
        ("src/*/", "src/core/x.py", True),
        ("src/*.py", "src/core/x.py", False),
        ("src/*.py", "src/x.*", True),
        ("**/test_*.py", "tests/**", True),
        ("*.md", "*.py", False),
        ("a*c", "*b", False),
        ("a*b", "*b*", True),
        ("[a-c]x", "[d-f]x", False),
        ("[a-c]x", "[!ab]x", True),
        ("[!a]x", "ax", False),
        ("?", "ab", False),
        ("?", ".", True),
        ("*", ".github", True),
        ("Src/**", "src/**", False),
        ("**", "anything/at/all", True),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z/y", True),
        ("cafe\u0301/**", "caf\u00e9/x", True),
    ],
)
def test_scopes_conflict_exactly_where_a_path_belongs_to_both(left: str, right: str, meet: bool) -> None:
    assert globs_intersect(left, right) is meet
    assert globs_intersect(right, left) is meet


@pytest.mark.parametrize(
    ("outer", "inner", "covered"),
    [
        ("src/**", "src/**", True),
        ("src/**", "src", True),
        ("src", "src/**/*.py", True),
        ("src/**", "src/core/*.py", True),
        ("src/**/*.py", "src/parser.py", True),
        ("**/*.md", "docs/README.md", True),
        ("**/*.md", "docs", False),
        ("src/**/*", "src/**/*.py", True),
        ("**/*", "**/*.py", True),
        ("src/**", "src2/x", False),
        ("src/core/**", "src/**", False),
        ("src/*", "src/core", False),
        ("src/*", "src/*.?", True),
        ("*", "**", False),
        ("**", "*", True),
        ("src/[a-z]*", "src/[b-d]?", True),
        ("src/[b-d]*", "src/[a-z]?", False),
        ("[!x]*", "a*", True),
        ("a?*", "a*b*", True),
        ("*/**", "**", True),
        ("**/*/x", "**/y/x", True),
        ("docs", "docs2", False),
    ],
)
def test_a_boundary_covers_a_scope_only_with_every_path_of_it(outer: str, inner: str, covered: bool) -> None:
    assert glob_covers(outer, inner) is covered


def test_cover_may_fail_on_the_safe_side_where_classes_split() -> None:
    assert not glob_covers("*ab*", "a[ab]?")  # no: `aax`
    assert not glob_covers("*ab*", "a[ab]b")  # every path fits, but each another way


@pytest.mark.parametrize("compare", [globs_intersect, glob_covers])
def test_adversarial_patterns_stay_cheap(compare: object) -> None:
    assert callable(compare)
    stars = "*a" * 200
    assert not compare("*a" * 200 + "b?", stars + "c?")
    deep = "**/a/" * 90
    assert not compare(deep + "b?", deep + "c?")
    many = "?" * 200
    assert not compare("*a" + many, "b" * 201)


# --- against brute force -----------------------------------------------------------------

# Small scopes that differ at all differ in one of these: `#` stands for every letter that no scope names.
NAMES = ["".join(letters) for size in (1, 2) for letters in product("ab#", repeat=size)]
PATHS = [
    *("".join(letters) for size in (1, 2, 3) for letters in product("ab#", repeat=size)),
    *("/".join(names) for size in (2, 3) for names in product(NAMES, repeat=size)),
    *("/".join(names) for names in product("ab#", repeat=4)),
]

characters = st.sampled_from(["a", "b", "*", "?"])
classes = st.sampled_from(["[ab]", "[!a]", "[a-b]", "[!ab]"])


def scopes_of(items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Scopes of one or two names of one or two characters."""
    names = st.lists(items, min_size=1, max_size=2).map("".join).filter(lambda name: name != "**")
    return st.lists(st.one_of(names, st.just("**")), min_size=1, max_size=2).map("/".join)


plain_scopes = scopes_of(characters)
scopes = scopes_of(st.one_of(characters, classes))


def oracle(scope: str) -> re.Pattern[str]:
    """The documented meaning, as a regular expression over paths that end in `/`."""
    names = normalise_write_scope(scope).split("/")
    if names[-1] != "**" and names[-1][-1] not in "*?]":
        names.append("**")
    parts = ("(?:[^/]+/)*" if name == "**" else f"(?=[^/]){translated(name)}/" for name in names)
    return re.compile("".join(parts))


def translated(name: str) -> str:
    return name.replace("[!", "[^/").replace("*", "[^/]*").replace("?", "[^/]")


def paths_of(scope: str) -> set[str]:
    pattern = oracle(scope)
    return {path for path in PATHS if pattern.fullmatch(path + "/")}


@settings(max_examples=400, deadline=None)
@given(scopes, scopes)
def test_scopes_meet_exactly_where_they_share_a_path(left: str, right: str) -> None:
    assert globs_intersect(left, right) == bool(paths_of(left) & paths_of(right))


@settings(max_examples=400, deadline=None)
@given(scopes, scopes)
def test_cover_is_never_wrong_when_it_says_yes(outer: str, inner: str) -> None:
    if glob_covers(outer, inner):
        assert paths_of(inner) <= paths_of(outer)


@settings(max_examples=400, deadline=None)
@given(plain_scopes, plain_scopes)
def test_cover_is_exact_without_classes(outer: str, inner: str) -> None:
    assert glob_covers(outer, inner) == (paths_of(inner) <= paths_of(outer))


@given(scopes)
def test_a_scope_covers_and_meets_itself(scope: str) -> None:
    assert glob_covers(scope, scope)
    assert globs_intersect(scope, scope)


@example("./!a")
@example("./ a")
@example("./~a")
@given(st.text(alphabet="ab*?[]!-/. ~:", max_size=12))
def test_normalising_twice_changes_nothing(text: str) -> None:
    try:
        once = normalise_write_scope(text)
    except WriteScopeInvalidError:
        return
    assert normalise_write_scope(once) == once
    assert glob_covers(once, once)
