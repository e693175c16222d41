"""File tools of chat workers stay in the workspace, whatever path they are given and whatever changes meanwhile."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.core.errors import FileInvalidError, FileMissingError, LoopxError, PathEscapeError
from loopx.team.chat import place
from loopx.team.chat.folder import READ_BYTES, WRITE_BYTES, Folder
from loopx.team.chat.place import FdPlace, PathPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = b"outside"
SWAPS = 100  # turns of the race; each of them has a fresh chance


class Yard:
    """A workspace, what lies beside it, and every kind of bait in between."""

    def __init__(self, root: Path, *, by_fd: bool) -> None:
        self.outside, self.work = root / "outside", root / "work"
        self.outside.mkdir(parents=True)
        self.work.mkdir()
        (self.outside / "secret").write_bytes(SECRET)
        (self.outside / "single").write_bytes(SECRET)  # without a second name, which would give it away
        (self.work / "plain").write_bytes(b"inside")
        (self.work / "a/b").mkdir(parents=True)
        (self.work / "a/b/deep").write_bytes(b"inside")
        (self.work / "link").symlink_to(self.outside / "secret")
        (self.work / "inner").symlink_to(self.work / "plain")
        (self.work / "linked").symlink_to(self.outside)
        (self.work / "up").symlink_to("..")
        (self.work / "dangling").symlink_to(self.outside / "new")
        os.link(self.outside / "secret", self.work / "hard")
        os.mkfifo(self.work / "pipe")
        for reserved in (".git", ".loopx", "a/.git"):
            (self.work / reserved).mkdir()
            (self.work / reserved / "config").write_bytes(SECRET)
        self.folder = Folder(str(self.work), by_fd=by_fd)
        self._outside_before = self._seen()

    def _seen(self) -> list[tuple[str, bytes | None]]:
        """Everything that no tool may touch."""
        places = [self.outside, *(self.work / name for name in (".git", ".loopx", "a/.git"))]
        found = [path for place in places for path in [place, *sorted(place.rglob("*"))]]
        return [(str(path), path.read_bytes() if path.is_file() else None) for path in found]

    def assert_untouched(self) -> None:
        assert self._seen() == self._outside_before
        assert (self.work / "link").is_symlink()
        assert (self.work / "dangling").is_symlink()
        assert os.stat(self.work / "hard").st_nlink == 2
        assert not [path for path in self.work.rglob("*") if path.name.startswith(".loopx-new-")]


@pytest.fixture(params=[True, False], ids=["by descriptor", "by path"])
def yard(request: pytest.FixtureRequest, tmp_path: Path) -> Yard:
    return Yard(tmp_path, by_fd=request.param)


LEADS_OUT = [
    "../outside/secret",
    "a/../../outside/secret",
    "a/b/../../../outside/secret",
    "/etc/passwd",
    "//etc/passwd",
    "~/secret",
    "~root/secret",
    "link",
    "inner",
    "linked/secret",
    "a/../link",
    "up/outside/secret",
    "up/work/plain",
    "dangling",
    "hard",
    "..\\outside\\secret",
    "C:/secret",
    "C:secret",
    "file:stream",
    ".git/config",
    ".GIT/config",
    "a/.git/config",
    ".git./config",
    ".git /config",
    ".g\u200cit/config",
    "．git/config",
    "GIT~1/config",
    ".git::$INDEX_ALLOCATION/config",
    ".loopx/config",
    ".LoopX/config",
]
NAMES_NO_FILE = ["", ".", "./", "a/", "a", "a/b", "pipe", "plain/x", "x\x00y", "x\ny", "\ud800", "x" * 500]


@pytest.mark.parametrize("path", LEADS_OUT)
def test_no_path_leads_out(yard: Yard, path: str) -> None:
    for act in (lambda: yard.folder.read(path), lambda: yard.folder.write(path, b"mine")):
        with pytest.raises(PathEscapeError):
            act()
    yard.assert_untouched()


@pytest.mark.parametrize("path", NAMES_NO_FILE)
def test_what_is_no_regular_file_is_refused_at_once(yard: Yard, path: str) -> None:
    for act in (lambda: yard.folder.read(path), lambda: yard.folder.write(path, b"mine")):
        with pytest.raises(FileInvalidError):
            act()
    yard.assert_untouched()


@pytest.mark.parametrize(
    "path", ["plain", "./plain", "a/./b//deep", "a/b/deep", "new", "x/y/z/new", "...", ".gitignore", "a b/ü.txt"]
)
def test_what_is_inside_is_written_and_read(yard: Yard, path: str) -> None:
    existed = (yard.work / path).exists()
    assert yard.folder.write(path, b"mine") is not existed
    assert yard.folder.read(path) == b"mine"
    assert (yard.work / path).read_bytes() == b"mine"
    yard.assert_untouched()


def test_a_missing_file_is_told_apart(yard: Yard) -> None:
    for path in ("no", "no/where", "a/no"):
        with pytest.raises(FileMissingError):
            yard.folder.read(path)


def test_permissions_of_an_existing_file_stay(yard: Yard) -> None:
    script = yard.work / "plain"
    script.chmod(0o750)
    yard.folder.write("plain", b"mine")
    assert stat.S_IMODE(script.stat().st_mode) == 0o750


def test_a_file_has_a_bounded_size(yard: Yard) -> None:
    (yard.work / "big").write_bytes(b"x" * (READ_BYTES + 1))
    with pytest.raises(FileInvalidError, match="larger"):
        yard.folder.read("big")
    with pytest.raises(FileInvalidError, match="too many"):
        yard.folder.write("big", b"x" * (WRITE_BYTES + 1))
    assert (yard.work / "big").stat().st_size == READ_BYTES + 1


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(LoopxError) as refused:
        yard.folder.write("plain", b"mine")
    assert refused.value.code == "disk_full"
    assert (yard.work / "plain").read_bytes() == b"inside"
    yard.assert_untouched()


def test_no_error_tells_where_the_workspace_is(yard: Yard) -> None:
    for path in [*LEADS_OUT, *NAMES_NO_FILE, "no/where"]:
        with pytest.raises(LoopxError) as refused:
            yard.folder.read(path)
        assert str(yard.work) not in f"{refused.value.message}{refused.value.hint}{refused.value.details}"


_NAMES = ("a", "b", "deep", "plain", "link", "linked", "inner", "up", "hard", "pipe", "dangling", "secret", "new")
_ODD = ("..", ".", "outside", "work", ".git", ".loopx", "config", "~", "C:", "", "\\", "…", "\u202e", " ")
PIECES = st.sampled_from(_NAMES + _ODD)


@pytest.mark.parametrize("by_fd", [True, False], ids=["by descriptor", "by path"])
@settings(max_examples=80)
@given(pieces=st.lists(PIECES, max_size=7), glue=st.sampled_from(["/", "//", "/./"]))
def test_no_walk_leads_out(tmp_path_factory: pytest.TempPathFactory, by_fd: bool, pieces: list[str], glue: str) -> None:
    yard = Yard(tmp_path_factory.mktemp("yard"), by_fd=by_fd)
    path = glue.join(pieces)
    for act in (lambda: yard.folder.read(path), lambda: yard.folder.write(path, b"mine")):
        with suppress(PathEscapeError, FileInvalidError, FileMissingError):
            assert act() != SECRET
    yard.assert_untouched()


@pytest.fixture
def exchanged(yard: Yard) -> Iterator[None]:
    """While the test runs, `a` is now a folder and now a link to the folder outside, and `plain` likewise."""
    done = threading.Event()
    (yard.work / "a/single").write_bytes(b"inside")
    thread = threading.Thread(target=_exchange, args=(yard, done))
    thread.start()
    yield
    done.set()
    thread.join(60)


def _exchange(yard: Yard, done: threading.Event) -> None:
    a, plain, kept, spare = (yard.work / name for name in ("a", "plain", "kept", "spare"))
    while not done.is_set():
        with suppress(OSError):  # a write has made a folder `a` meanwhile
            os.rename(a, kept)
        os.symlink(yard.outside, spare)
        _put(spare, a)
        os.symlink(yard.outside / "single", spare)
        os.rename(spare, plain)
        _put(kept, a)
        spare.write_bytes(b"inside")
        os.rename(spare, plain)


def _put(thing: Path, place: Path) -> None:
    """Move it there; what is in the way is moved aside first, and may come back at once."""
    for number in range(1_000):
        with suppress(OSError):
            os.rename(place, place.with_name(f"aside-{number}-{place.name}"))
        with suppress(OSError):
            os.rename(thing, place)
            return


@pytest.mark.parametrize("yard", [True], indirect=True, ids=["by descriptor"])
def test_no_exchange_between_look_and_use_leads_out(yard: Yard, exchanged: None) -> None:
    for turn in range(SWAPS):
        for path in ("a/single", "plain"):
            with suppress(PathEscapeError, FileInvalidError, FileMissingError):
                assert yard.folder.read(path) != SECRET
            with suppress(PathEscapeError, FileInvalidError, FileMissingError):
                yard.folder.write(path, b"mine")
            with suppress(PathEscapeError, FileInvalidError, FileMissingError):
                yard.folder.write(f"a/new-{turn % 3}", b"mine")
    assert {path.name: path.read_bytes() for path in yard.outside.iterdir()} == {"secret": SECRET, "single": SECRET}


class Trap:
    """A name of the workspace that is exchanged for something else just after it was looked at."""

    def __init__(self, place: Path, put: Callable[[Path], None]) -> None:
        self.place, self.put, self.is_set = place, put, True

    def spring(self, name: str) -> None:
        if self.is_set and name == self.place.name:
            self.is_set = False
            self.place.rename(self.place.with_name("away"))
            self.put(self.place)


def trapped(kind: type[FdPlace] | type[PathPlace], trap: Trap) -> type:
    """Places of that kind, in which the trap springs."""
    looks = kind.look

    def look(self: Any, name: str) -> os.stat_result | None:
        found: os.stat_result | None = looks(self, name)
        trap.spring(name)
        return found

    return type("Trapped", (kind,), {"look": look})


@pytest.mark.parametrize("act", ["read", "write"])
@pytest.mark.parametrize(
    ("path", "name", "put"),
    [
        ("plain", "plain", lambda outside: lambda at: at.symlink_to(outside / "single")),
        ("a/single", "a", lambda outside: lambda at: at.symlink_to(outside)),
        ("a/x/new", "a", lambda outside: lambda at: at.symlink_to(outside)),
        ("plain", "plain", lambda _outside: os.mkfifo),
        ("plain", "plain", lambda outside: lambda at: os.link(outside / "single", at)),
    ],
    ids=["a link to a file", "a link to a folder", "a link above a new folder", "a pipe", "a second name"],
)
def test_what_is_put_in_place_after_the_look_is_neither_read_nor_written(
    yard: Yard, monkeypatch: pytest.MonkeyPatch, act: str, path: str, name: str, put: Any
) -> None:
    trap = Trap(yard.work / name, put(yard.outside))
    if yard.folder._kind is PathPlace:  # as on a system that cannot refuse links while opening
        monkeypatch.setattr(place, "_FLAGS", place._FLAGS & ~os.O_NOFOLLOW)
    monkeypatch.setattr(yard.folder, "_kind", trapped(yard.folder._kind, trap))
    with suppress(PathEscapeError, FileInvalidError, FileMissingError):
        if act == "read":
            assert yard.folder.read(path) != SECRET
        else:
            yard.folder.write(path, b"mine")
    assert not trap.is_set
    assert {path.name: path.read_bytes() for path in yard.outside.iterdir()} == {"secret": SECRET, "single": SECRET}
