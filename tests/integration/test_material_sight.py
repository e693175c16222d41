"""Looking at materials where they are: revisions by content, and nothing outside the project."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from loopx.core.material import MaterialState
from loopx.workspace import material
from loopx.workspace.material import sight
from tests.support.git import git, new_repository
from tests.support.unprivileged import public_folder, unprivileged

if TYPE_CHECKING:
    from pathlib import Path


def test_the_revision_of_a_file_is_the_digest_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    first = sight(str(tmp_path), "a.md")
    assert first.revision == "sha256:" + hashlib.sha256(b"one\n").hexdigest()
    os.utime(tmp_path / "a.md", (1, 1))
    assert sight(str(tmp_path), "./a.md") == first, "neither its time nor the spelling counts"
    (tmp_path / "a.md").write_bytes(b"two\n")
    assert sight(str(tmp_path), "a.md").revision != first.revision


@pytest.mark.parametrize("spelling", ["none.md", "a.md/below"])
def test_a_file_that_is_not_there_is_missing(tmp_path: Path, spelling: str) -> None:
    (tmp_path / "a.md").write_text("x")
    assert sight(str(tmp_path), spelling).fault is MaterialState.MISSING


@pytest.mark.parametrize("spelling", ["/etc/passwd", "../x", "~/x", "file:///etc/passwd"])
def test_a_reference_that_a_hand_edit_made_lead_outside_is_inaccessible(tmp_path: Path, spelling: str) -> None:
    found = sight(str(tmp_path), spelling)
    assert (found.fault, found.revision) == (MaterialState.INACCESSIBLE, None)
    assert spelling not in (found.why or "")


def test_a_link_may_lead_inside_and_not_outside(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.md").write_text("x")
    (project / "inner").symlink_to("a.md")
    (tmp_path / "outside.md").write_text("secret")
    (project / "outer").symlink_to(tmp_path / "outside.md")
    (project / "folder").symlink_to(tmp_path)
    (project / "round").symlink_to("round")
    assert sight(str(project), "inner").revision == sight(str(project), "a.md").revision
    for spelling in ("outer", "folder/outside.md", "round"):
        found = sight(str(project), spelling)
        assert found.revision is None
        assert str(tmp_path) not in (found.why or "")


def test_a_link_may_lead_elsewhere_in_the_repository_but_not_into_git_or_the_state(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "repo")
    project = repository / "sub"
    project.mkdir()
    (repository / ".loopx").mkdir()
    (repository / ".loopx" / "registry.yaml").write_text("x")
    (project / "readme").symlink_to("../README")
    (project / "git").symlink_to("../.git/config")
    (project / "state").symlink_to("../.loopx/registry.yaml")
    assert sight(str(project), "readme").revision is not None
    assert sight(str(project), "git").fault is MaterialState.INACCESSIBLE
    assert sight(str(project), "state").fault is MaterialState.INACCESSIBLE


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert sight(str(tmp_path), "pipe").fault is MaterialState.INACCESSIBLE
    assert sight(str(tmp_path), "folder").fault is MaterialState.INACCESSIBLE


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("12345")
    monkeypatch.setattr(material, "LARGEST_BYTES", 4)
    assert sight(str(tmp_path), "a.md").fault is MaterialState.INACCESSIBLE


def test_a_file_that_may_not_be_read_is_inaccessible_and_not_missing() -> None:
    with public_folder() as folder:
        (folder / "a.md").write_text("x")
        (folder / "a.md").chmod(0)
        with unprivileged():
            found = sight(str(folder), "a.md")
    assert found.fault is MaterialState.INACCESSIBLE


def test_the_revision_of_a_blob_is_its_object_id_and_moves_with_the_name(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    first = git(repository, "rev-parse", "HEAD:README")
    assert sight(str(repository), "git:main:README").revision == f"git:{first}"
    (repository / "README").write_text("changed\n")
    assert sight(str(repository), "git:main:README").revision == f"git:{first}", "the checkout does not count"
    git(repository, "commit", "--quiet", "--all", "--message=second")
    second = git(repository, "rev-parse", "HEAD:README")
    assert sight(str(repository), "git:main:README").revision == f"git:{second}"
    assert sight(str(repository), "git:main~1:README").revision == f"git:{first}"


def test_a_blob_that_is_not_there_is_missing_and_a_folder_or_link_is_no_document(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    (repository / "docs").mkdir()
    (repository / "docs" / "a b*.md").write_text("x")
    (repository / "link").symlink_to("README")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=more")
    assert sight(str(repository), "git:main:docs/a b*.md").revision is not None
    assert sight(str(repository), "git:main:docs/*").fault is MaterialState.MISSING
    assert sight(str(repository), "git:other:README").fault is MaterialState.MISSING
    assert sight(str(repository), "git:main:none").fault is MaterialState.MISSING
    assert sight(str(repository), "git:main:docs").fault is MaterialState.INACCESSIBLE
    assert sight(str(repository), "git:main:link").fault is MaterialState.INACCESSIBLE


def test_a_blob_without_a_repository_or_without_git_is_inaccessible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bare").mkdir()
    assert sight(str(tmp_path / "bare"), "git:main:README").fault is MaterialState.INACCESSIBLE
    repository = new_repository(tmp_path / "repo")
    monkeypatch.setenv("PATH", str(tmp_path / "bare"))
    assert sight(str(repository), "git:main:README").fault is MaterialState.INACCESSIBLE


def test_nothing_is_fetched(tmp_path: Path) -> None:
    for spelling in ("https://example.invalid/x", "git:example.invalid/a/b@main:x"):
        assert sight(str(tmp_path), spelling).revision is None
        assert sight(str(tmp_path), spelling, "v2").revision == "v2"
