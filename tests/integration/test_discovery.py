"""The state is the named one or the nearest, and worktrees of one repository share it (design.md §3)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from loopx.core.errors import PathEscapeError, ProjectNotFoundError, ReadOnlyError
from loopx.store.paths import state_paths, verify_state
from loopx.workspace.discovery import FoundBy, Location, init_target, locate
from tests.support.git import git, new_repository, new_worktree
from tests.support.unprivileged import public_folder, unprivileged


def new_state(folder: Path, registry: str = "version: 1\n") -> Path:
    state = folder / ".loopx"
    state.mkdir(parents=True)
    (state / "registry.yaml").write_text(registry, encoding="utf-8")
    return state


def found(cwd: Path | None, *, option: str | None = None, environment: str | None = None) -> Location:
    return locate(option=option, environment=environment, cwd=None if cwd is None else str(cwd))


def target(cwd: Path | None, *, option: str | None = None, environment: str | None = None) -> Location:
    return init_target(option=option, environment=environment, cwd=None if cwd is None else str(cwd))


# --- order -------------------------------------------------------------------------------


def test_the_nearest_state_above_is_found(tmp_path: Path) -> None:
    new_state(tmp_path)
    state = new_state(tmp_path / "inner")
    (tmp_path / "inner" / "a" / "b").mkdir(parents=True)
    location = found(tmp_path / "inner" / "a" / "b")
    assert location == Location(str(state), str(tmp_path / "inner"), FoundBy.WALK)
    assert found(state).state_dir == str(state)


def test_an_option_beats_the_environment_and_that_the_walk(tmp_path: Path) -> None:
    states = {name: new_state(tmp_path / name) for name in ("named", "set", "here")}
    here, named, set_ = tmp_path / "here", str(tmp_path / "named"), str(tmp_path / "set")
    assert found(here, option=named, environment=set_) == (
        str(states["named"]), named, FoundBy.OPTION, ()
    )  # fmt: skip
    assert found(here, environment=set_)[:3] == (str(states["set"]), set_, FoundBy.ENVIRONMENT)
    assert found(here).state_dir == str(states["here"])


def test_the_state_folder_itself_may_be_named(tmp_path: Path) -> None:
    state = new_state(tmp_path)
    assert found(None, option=str(state)) == (str(state), str(tmp_path), FoundBy.OPTION, ())
    assert found(None, option=f"{state}/../.loopx/").state_dir == str(state)


def test_a_relative_name_counts_from_the_current_folder(tmp_path: Path) -> None:
    state = new_state(tmp_path / "project")
    assert found(tmp_path, option="project").state_dir == str(state)
    assert found(tmp_path / "project", option="../project").state_dir == str(state)


@pytest.mark.parametrize("name", ["elsewhere", "missing", "", "file"])
@pytest.mark.parametrize("source", ["option", "environment"])
def test_a_named_folder_without_a_state_is_refused_and_nothing_else_is_tried(
    tmp_path: Path, name: str, source: str
) -> None:
    new_state(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(ProjectNotFoundError) as refusal:
        found(tmp_path, **{source: name})
    assert ("--project" if source == "option" else "LOOPX_PROJECT") in refusal.value.message


def test_without_any_state_the_way_to_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProjectNotFoundError) as refusal:
        found(tmp_path)
    assert "loopx init" in str(refusal.value.hint)


def test_an_empty_state_folder_is_no_state(tmp_path: Path) -> None:
    state = new_state(tmp_path)
    (tmp_path / "inner" / ".loopx").mkdir(parents=True)
    assert found(tmp_path / "inner").state_dir == str(state)


def test_a_database_without_a_registry_is_a_state(tmp_path: Path) -> None:
    (tmp_path / ".loopx").mkdir()
    (tmp_path / ".loopx" / "loopx.db").touch()
    assert found(tmp_path).root == str(tmp_path)


def test_a_deleted_current_folder_is_told(tmp_path: Path) -> None:
    state = new_state(tmp_path)
    for option in (None, "relative"):
        with pytest.raises(ProjectNotFoundError, match="does not exist any more"):
            found(None, option=option)
    assert found(None, option=str(tmp_path)).state_dir == str(state)


def test_a_state_that_may_not_be_looked_into_is_not_passed_over() -> None:
    with public_folder() as folder:
        new_state(folder)
        new_state(folder / "inner").chmod(0o000)
        with unprivileged(), pytest.raises(ReadOnlyError):
            found(folder / "inner")


def test_links_on_the_way_are_resolved_and_a_linked_state_is_not(tmp_path: Path) -> None:
    state = new_state(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert found(tmp_path / "link").state_dir == str(state)
    assert found(None, option=str(tmp_path / "link")).state_dir == str(state)

    planted = tmp_path / "victim"
    planted.mkdir()
    (planted / ".loopx").symlink_to(state)
    with pytest.raises(PathEscapeError):
        verify_state(state_paths(found(planted).state_dir))
    verify_state(state_paths(found(planted, option=str(planted / ".loopx")).state_dir))


# --- worktrees ---------------------------------------------------------------------------


@pytest.fixture
def main(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "main")


@pytest.fixture
def linked(main: Path, tmp_path: Path) -> Path:
    return new_worktree(main, tmp_path / "linked")


def test_a_linked_worktree_uses_the_state_of_the_main_one(main: Path, linked: Path) -> None:
    state = new_state(main)
    (linked / "src").mkdir()
    assert found(linked / "src") == (str(state), str(main), FoundBy.WORKTREE, ())
    assert found(main).found_by is FoundBy.WALK


def test_a_worktree_inside_the_main_one_shares_its_state_too(main: Path) -> None:
    state = new_state(main)
    inside = new_worktree(main, main / ".trees" / "one", "one")
    assert found(inside)[::2] == (str(state), FoundBy.WORKTREE)


def test_a_tracked_copy_does_not_split_the_state(main: Path, tmp_path: Path) -> None:
    state = new_state(main)
    git(main, "add", ".loopx")
    git(main, "commit", "--quiet", "--message=track")
    linked = new_worktree(main, tmp_path / "linked")
    assert found(linked) == (str(state), str(main), FoundBy.WORKTREE, ())

    (linked / ".loopx" / "registry.yaml").write_text("version: 1\ngoals: []\n", encoding="utf-8")
    (linked / ".loopx" / "loopx.db").touch()
    location = found(linked)
    assert location.state_dir == str(state)
    assert [text for text in location.warnings if "registry.yaml differs" in text]
    assert [text for text in location.warnings if "loopx.db is not used" in text]


@pytest.mark.parametrize("source", ["option", "environment"])
def test_naming_a_linked_worktree_means_the_shared_state(main: Path, linked: Path, source: str) -> None:
    state = new_state(main)
    new_state(linked)
    assert found(linked, **{source: str(linked)})[::2] == (str(state), FoundBy(source))
    assert found(linked, **{source: str(linked / ".loopx")}).state_dir == str(linked / ".loopx")


def test_the_same_folder_of_the_main_worktree_is_looked_at_first(main: Path, linked: Path) -> None:
    new_state(main)
    inner = new_state(main / "part")
    (linked / "part").mkdir()
    assert found(linked / "part").state_dir == str(inner)


def test_a_nearer_state_that_only_the_worktree_has_is_told_and_not_used(main: Path, linked: Path) -> None:
    state = new_state(main)
    new_state(linked / "part")
    location = found(linked / "part")
    assert location.state_dir == str(state)
    assert "nearer" in location.warnings[0]


def test_a_worktree_falls_back_to_its_own_state_with_a_warning(linked: Path) -> None:
    state = new_state(linked)
    location = found(linked)
    assert location[::2] == (str(state), FoundBy.WALK)
    assert "the main worktree has no .loopx" in location.warnings[0]


def test_a_state_above_all_worktrees_is_shared_without_a_warning(linked: Path, tmp_path: Path) -> None:
    state = new_state(tmp_path)
    assert found(linked) == (str(state), str(tmp_path), FoundBy.WALK, ())


def test_a_bare_repository_has_no_main_worktree(main: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(main), "bare.git")
    linked = new_worktree(tmp_path / "bare.git", tmp_path / "of-bare")
    state = new_state(linked)
    location = found(linked)
    assert location.state_dir == str(state)
    assert "no main worktree" in location.warnings[0]


def test_a_bare_setting_of_the_main_worktree_alone_is_read(main: Path, linked: Path) -> None:
    """`git config --worktree` moves `core.bare` out of the shared file."""
    state = new_state(main)
    git(main, "config", "extensions.worktreeConfig", "true")
    git(main, "config", "--worktree", "core.bare", "false")
    git(main, "config", "--file", ".git/config", "--unset", "core.bare")
    assert found(linked).state_dir == str(state)
    (main / ".git" / "config.worktree").write_text("[core]\n\tbare = true\n", encoding="utf-8")
    with pytest.raises(ProjectNotFoundError):
        found(linked)


def test_a_submodule_is_no_linked_worktree(main: Path, tmp_path: Path) -> None:
    outer = new_repository(tmp_path / "outer")
    git(outer, "submodule", "--quiet", "add", str(main), "sub")
    state = new_state(outer)
    assert found(outer / "sub") == (str(state), str(outer), FoundBy.WALK, ())
    own = new_state(outer / "sub")
    assert found(outer / "sub").state_dir == str(own)


def test_a_submodule_in_a_linked_worktree_finds_the_main_state(main: Path, tmp_path: Path) -> None:
    outer = new_repository(tmp_path / "outer")
    git(outer, "submodule", "--quiet", "add", str(main), "sub")
    git(outer, "commit", "--quiet", "--message=sub")
    state = new_state(outer)
    linked = new_worktree(outer, tmp_path / "linked-outer")
    git(linked, "submodule", "--quiet", "update", "--init")
    assert found(linked / "sub").state_dir == str(state)


def test_a_worktree_of_a_submodule_finds_the_submodule(main: Path, tmp_path: Path) -> None:
    outer = new_repository(tmp_path / "outer")
    git(outer, "submodule", "--quiet", "add", str(main), "sub")
    state = new_state(outer / "sub")
    linked = new_worktree(outer / "sub", tmp_path / "linked-sub")
    assert found(linked)[::2] == (str(state), FoundBy.WORKTREE)


def test_a_relative_git_link_is_followed(main: Path, linked: Path) -> None:
    state = new_state(main)
    absolute = (linked / ".git").read_text(encoding="utf-8").removeprefix("gitdir: ").strip()
    relative = os.path.relpath(absolute, linked)
    (linked / ".git").write_text(f"gitdir: {relative}\n", encoding="utf-8")
    assert found(linked).state_dir == str(state)


def test_a_git_link_that_leads_nowhere_is_told(main: Path, linked: Path) -> None:
    new_state(main)
    own = new_state(linked)
    main.rename(main.with_name("moved"))
    location = found(linked)
    assert location.state_dir == str(own)
    assert "worktree repair" in location.warnings[0]


def test_names_that_are_no_text_are_found(tmp_path: Path) -> None:
    main = new_repository(tmp_path / os.fsdecode(b"caf\xe9"))
    linked = new_worktree(main, tmp_path / os.fsdecode(b"side\xff"))
    state = new_state(main)
    assert found(linked).state_dir == str(state)


def test_no_git_is_run(main: Path, linked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = new_state(main)
    monkeypatch.setattr("subprocess.Popen", None)
    assert found(linked).state_dir == str(state)


# --- where init makes it -----------------------------------------------------------------


def test_init_makes_the_state_in_the_named_or_current_folder(tmp_path: Path) -> None:
    new_state(tmp_path)
    (tmp_path / "inner").mkdir()
    inner = str(tmp_path / "inner")
    assert target(tmp_path / "inner") == (f"{inner}/.loopx", inner, FoundBy.WALK, ())
    assert target(tmp_path, option="inner") == (f"{inner}/.loopx", inner, FoundBy.OPTION, ())
    assert target(tmp_path, environment=f"{inner}/.loopx")[:2] == (f"{inner}/.loopx", inner)


@pytest.mark.parametrize("name", ["missing", "missing/.loopx", ""])
def test_init_in_a_folder_that_does_not_exist_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ProjectNotFoundError):
        target(tmp_path, option=name)


def test_init_in_a_deleted_folder_is_refused() -> None:
    with pytest.raises(ProjectNotFoundError, match="does not exist any more"):
        target(None)


def test_init_in_a_linked_worktree_makes_the_state_where_its_peers_find_it(
    main: Path, linked: Path, tmp_path: Path
) -> None:
    location = target(linked)
    assert location.state_dir == str(main / ".loopx")
    assert "main worktree" in location.warnings[0]
    new_state(main)
    peer = new_worktree(main, tmp_path / "peer", "peer")
    assert found(linked).state_dir == found(peer).state_dir == location.state_dir


def test_init_in_a_folder_that_only_the_worktree_has_uses_the_nearest_shared_one(main: Path, linked: Path) -> None:
    (main / "src").mkdir()
    (linked / "src" / "new").mkdir(parents=True)
    assert target(linked / "src" / "new").root == str(main / "src")


def test_init_in_a_worktree_of_a_bare_repository_stays_there_and_says_so(main: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(main), "bare.git")
    linked = new_worktree(tmp_path / "bare.git", tmp_path / "of-bare")
    location = target(linked)
    assert location.root == str(linked)
    assert "no main worktree" in location.warnings[0]


def test_what_init_would_make_is_what_is_found_afterwards(main: Path, linked: Path) -> None:
    for folder in (main, linked):
        location = target(folder)
        with contextlib.suppress(FileExistsError):
            new_state(Path(location.root))
        assert found(folder).state_dir == location.state_dir
