"""Git's configuration is read as git itself reads it, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx.workspace.gitconfig import GitConfig, Setting, parse_config, read_config
from tests.support.git import git

TRICKY = r"""
# a comment
[core]
	bare = false ; another
	repositoryFormatVersion=0
[remote "origin"]
	url = https://example.com/o/r.git # and one more
	fetch = +refs/heads/*:refs/remotes/origin/*
[Remote "with \"quotes\" and \\"] URL = "git@example.com:o/r.git"
[remote.Old]
	url = one\
two
	url = "  kept  "  trimmedTRAIL
	url = a "b # c" d
	url = tab\there
	url =
[branch "main"]
	autoSetupRebase
""".replace("TRAIL", "  \t")


def values(text: str) -> list[tuple[str, str]]:
    settings = parse_config(text)
    assert settings is not None
    return [
        (".".join(part for part in (setting.section, setting.name, setting.key) if part), setting.value or "")
        for setting in settings
    ]


def test_the_settings_are_those_that_git_lists(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(TRICKY, encoding="utf-8")
    listed = git(tmp_path, "config", "--file", "config", "--list", "--null").removesuffix("\0").split("\0")
    pairs = [line.partition("\n") for line in listed]
    assert values(TRICKY) == [(key, value) for key, _, value in pairs]


def test_line_ends_of_windows_and_a_byte_order_mark_change_nothing() -> None:
    assert parse_config("\ufeff" + TRICKY.replace("\n", "\r\n")) == parse_config(TRICKY)


@pytest.mark.parametrize(
    "text",
    [
        "[core",
        '[core "x] y = 1',
        '[core]\nkey = "open',
        "[core]\nkey = bad \\q escape",
        "[core]\n= nothing",
        "[core]\nkey value",
        "[core]\n1key = x",
    ],
)
def test_what_git_refuses_is_not_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match=r"bad config|invalid"):
        git(tmp_path, "config", "--file", "config", "--list")
    assert parse_config(text) is None


def test_a_bare_key_is_true_and_the_last_value_counts() -> None:
    config = GitConfig(parse_config("[core]\nbare\nworktree = a\nworktree = b\n") or ())
    assert config.is_true("core", "bare")
    assert config.last("core", "worktree") == "b"
    assert not GitConfig(parse_config("[core]\nbare = true\nbare = false") or ()).is_true("core", "bare")


def test_origin_comes_first_among_the_remotes() -> None:
    text = '[remote "fork"]\nurl = f\npushurl = p\n[remote "origin"]\nurl = o\n[remote "x"]\nurl =\n'
    assert GitConfig(parse_config(text) or ()).remote_urls() == ("o", "f", "p")


@pytest.mark.parametrize(
    "text",
    [
        "[include]\npath = more\n",
        '[includeIf "gitdir:~/"]\npath = more\n',
        '[url "https://example.com/"]\ninsteadOf = e:\n',
        '[url "https://example.com/"]\npushInsteadOf = e:\n',
        "[broken",
    ],
)
def test_settings_that_only_git_can_resolve_are_not_clear(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text, encoding="utf-8")
    assert not read_config(str(tmp_path), str(tmp_path)).is_clear


def test_a_worktree_has_settings_of_its_own_only_by_the_extension(tmp_path: Path) -> None:
    own = Setting("remote", "origin", "url", "u")
    (tmp_path / "config.worktree").write_text('[remote "origin"]\nurl = u\n', encoding="utf-8")
    (tmp_path / "config").write_text("[core]\n", encoding="utf-8")
    assert own not in read_config(str(tmp_path), str(tmp_path)).settings
    (tmp_path / "config").write_text("[extensions]\nworktreeConfig = true\n", encoding="utf-8")
    assert own in read_config(str(tmp_path), str(tmp_path)).settings
