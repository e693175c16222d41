"""Which stretches of prose are absolute local paths, and which only hold slashes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.local_path import find_paths
from loopx.core.secret import PATH_MARK, masked

PATHS = (
    "/home/alice/project/notes.md",
    "/home/alice",
    "/root/.ssh/id_ed25519",
    "/Users/alice/Library/Application Support/Tool/state.db",
    "/private/var/folders/zz/T/x",
    "/Volumes/Disk/x",
    "/tmp/pytest-of-alice/pytest-0",
    "/etc/passwd",
    "/workspace/app/main.py",
    "/unknown-root/alice/x.py",
    "/c/Users/alice/x",
    "/mnt/c/Users/alice",
    r"C:\Users\alice\x.txt",
    r"C:\Users\Alice Example\Desktop\plan.txt",
    r"C:\\Users\\alice\\x.txt",
    "d:/work/x",
    r"\\server\share\x",
    r"\\?\C:\x\y",
    r"\\\\server\\share\\x",
    "//server/share/x",
    r"\Users\alice\x",
    r"\/home\/alice\/x",
    "~/notes/x.md",
    "~alice/notes",
    "file:///home/alice/x",
    "file://localhost/home/alice",
    "FILE:/home/alice/x",
    "file:///C:/Users/alice",
    "/home/алиса/проект",
    r"/home/alice/two\ words/x",
)
NO_PATHS = (
    "src/parse.py",
    "./home/alice",
    "../tmp/x",
    "src/**",
    "**/home/alice",
    "and/or",
    "1/2",
    "https://example.com/home/alice/x",
    "https://example.com:8080/tmp/x",
    "ssh://host/home/alice",
    "git:github.com/example/project",
    "application/json",
    "/health",
    "/api/v1",
    "/api/v1/users/42",
    "/v2/things",
    "/users/42",
    "/orders/{id}",
    "/orders/:id",
    "GET /things/new",
    "`POST /things/new`",
    "/",
    "// a comment",
    "a \\ b",
    r"\d+\w",
    r"\\d+\\w",
    "#/components/schemas/X",
    "$HOME/x",
    "${ROOT}/home/x",
    "2>/dev/null",
    "~5/day",
    "a~b/c",
    "s/a/b/",
    "café/menu/x",
    "<br/>",
    "n/a",
    "C: D:",
)
FRAMES = ("{}", "see {} there", "({})", '"{}"', "'{}'", "`{}`", "a={}", "at: {}", "[x]: <{}>", "a,{}", "x\n{}\ny")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("frame", FRAMES)
def test_a_local_path_leaves_as_a_mark_wherever_it_stands(path: str, frame: str) -> None:
    assert masked(frame.format(path)) == frame.format(PATH_MARK)


@pytest.mark.parametrize("text", NO_PATHS)
def test_what_only_holds_slashes_stays(text: str) -> None:
    assert masked(f"x {text} y") == f"x {text} y"
    assert masked(text) == text


def test_a_path_ends_before_the_punctuation_of_its_sentence() -> None:
    assert masked("Read /home/a/b.md, then /home/a/c.md.") == f"Read {PATH_MARK}, then {PATH_MARK}."
    assert masked("host:/home/a PATH=/usr/bin:/home/a -I/usr/include") == (
        f"host:{PATH_MARK} PATH={PATH_MARK} -I{PATH_MARK}"
    )


def test_a_quoted_path_may_hold_spaces() -> None:
    assert masked('open "/srv/my notes/plan one.md" now') == f'open "{PATH_MARK}" now'


def test_the_empty_host_of_a_url_is_followed_by_a_path() -> None:
    assert masked("sqlite:///home/a/x.db") == f"sqlite://{PATH_MARK}"
    assert masked("sqlite:////srv/x.db") == f"sqlite://{PATH_MARK}"
    assert masked("editor://file/home/a/x.py") == f"editor://file{PATH_MARK}"


@given(st.text(alphabet="ab/\\~:. \"'CUsershome<\n", max_size=60))
def test_spans_are_ordered_apart_and_inside_the_text(text: str) -> None:
    end = 0
    for span in find_paths(text):
        assert end <= span.start < span.end <= len(text)
        end = span.end


@given(st.text(alphabet="ab/\\~:. \"'=@CUsershome<\n[]", max_size=60))
def test_a_masked_text_is_its_own_mask(text: str) -> None:
    once = masked(text)
    assert masked(once) == once
