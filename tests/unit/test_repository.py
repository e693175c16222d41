"""One identity of a repository from every spelling of its remote, and nothing secret in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import UsageError
from loopx.core.repository import LONGEST_IDENTITY, parse_repository, repository_from_remote

PROJECT = "git:github.com/example/project"

REMOTES = [
    "https://github.com/example/project",
    "https://github.com/example/project.git",
    "https://github.com/example/project.git/",
    "https://github.com/example/project/",
    "HTTPS://GitHub.COM/example/project",
    "http://github.com:8080/example/project",
    "https://user@github.com/example/project",
    "https://user:hunter2@github.com:443/example/project.git",
    "https://user:hunter2#x@github.com/example/project",
    "https://user:p@ss@github.com/example/project.git",
    "https://:hunter2@github.com/example/project",
    "https://github.com//example///project",
    "ssh://git@github.com/example/project.git",
    "ssh://git@github.com:22/example/project.git",
    "ssh://git@github.com:/example/project.git",
    "git+ssh://git@github.com/example/project.git",
    "git://github.com/example/project.git",
    "git@github.com:example/project.git",
    "git@github.com:/example/project.git",
    "git@GitHub.com:example/project/",
    "github.com:example/project",
    "  git@github.com:example/project.git\n",
]


@pytest.mark.parametrize("url", REMOTES)
def test_every_spelling_of_a_remote_is_one_identity(url: str) -> None:
    assert repository_from_remote(url) == PROJECT
    assert parse_repository(url) == PROJECT


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        ("git:github.com/example/project", PROJECT),
        ("git:GitHub.com/example/project.git", PROJECT),
        ("git:user:hunter2@github.com:443/example/project/", PROJECT),
        ("git:github.com/Example/Project", "git:github.com/Example/Project"),
        ("git:gitlab.example.org/group/sub/project", "git:gitlab.example.org/group/sub/project"),
        ("git:git.example.org/tool", "git:git.example.org/tool"),
        ("ssh://git@[2001:DB8::1]:2222/example/project.git", "git:[2001:db8::1]/example/project"),
        ("git@[::1]:example/project", "git:[::1]/example/project"),
        ("git@host:~user/project.git", "git:host/~user/project"),
        ("git@work_alias:example/project", "git:work_alias/example/project"),
        ("https://host/example/project.git.git", "git:host/example/project"),
    ],
)
def test_an_identity_keeps_the_whole_path_and_its_case(text: str, identity: str) -> None:
    assert parse_repository(text) == identity
    assert parse_repository(identity) == identity


LOCAL = [
    "", " ", "project", "./project", "../project", "/srv/git/project.git", "~/project", "~user/project",
    "file:///srv/git/project.git", "file://host/share/project",
    "C:\\work\\project", "C:/work/project", "c:project", "\\\\host\\share\\project",
    "a/b:c", "project.bundle",
]  # fmt: skip


@pytest.mark.parametrize("url", LOCAL)
def test_a_local_place_has_no_identity(url: str) -> None:
    assert repository_from_remote(url) is None
    with pytest.raises(UsageError):
        parse_repository(url)


UNCLEAR = [
    "https://user:hun/ter2@github.com/example/project",
    "https://hunter2/x@github.com/example/project",
    "https://user:1/hunter2@github.com/example/project",
    "https://github.com/example/project?private_token=hunter2",
    "https://github.com/example/project#hunter2",
    "https://github.com/example/../project",
    "https://github.com/example/./project",
    "https://github.com/example/a b",
    "https://github.com/example/%68unter2",
    "https://github.com/.git",
    "https://github.com",
    "https://github.com/",
    "https:///example/project",
    "https://user:hunter2@/example/project",
    "https://git hub.com/example/project",
    "https://github.com:hunter2/example/project",
    "https://[::1/example/project",
    "https://[hunter2]/example/project",
    "https://-oProxyCommand=hunter2/example/project",
    "git@github.com:",
    "git@github.com:example/pro\x00ject",
    "ext::sh -c hunter2",
    "git:https://github.com/example/project",
    "git:git@github.com:example/project",
    "git:github.com",
    "git:/example/project",
    "git:",
    "svn://github.com/example/project",
    "https://github.com/" + "x" * LONGEST_IDENTITY,
]


@pytest.mark.parametrize("url", UNCLEAR)
def test_an_unclear_url_is_refused_without_echoing_it(url: str) -> None:
    assert repository_from_remote(url) is None or url.startswith("git:")
    with pytest.raises(UsageError) as refusal:
        parse_repository(url)
    told = f"{refusal.value.message} {refusal.value.hint} {refusal.value.details}"
    assert "hunter2" not in told


secrets = st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)


@given(secrets, secrets, st.sampled_from(["https", "ssh", "http"]))
def test_no_part_of_a_credential_survives(user: str, password: str, scheme: str) -> None:
    identity = repository_from_remote(f"{scheme}://{user}:{password}@github.com/example/project")
    assert identity in (None, PROJECT)


@given(st.text(max_size=40))
def test_an_identity_is_its_own_canonical_form(text: str) -> None:
    identity = repository_from_remote(text)
    if identity is not None:
        assert parse_repository(identity) == identity
