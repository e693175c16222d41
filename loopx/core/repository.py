"""One identity for a repository, however its remote is spelt: `git:host/owner/repo` (W9.1, W9.3)."""

from __future__ import annotations

from loopx.core.errors import UsageError

_FORM = "git:HOST/OWNER/REPO, such as git:github.com/example/project"


def parse_repository(text: str) -> str:
    """The canonical identity; UsageError, which never echoes a credential, for anything else."""
    spelling = text.strip()
    identity = _from_plain(spelling[4:]) if spelling.startswith("git:") and "://" not in spelling else None
    identity = identity or repository_from_remote(spelling)
    if identity is None:
        raise UsageError("this does not name a repository on a host", hint=f"A repository is {_FORM}.")
    return identity


def repository_from_remote(url: str) -> str | None:
    """The identity of a remote's URL without user, password, port and `.git`; None for a local one."""
    spelling = url.strip()
    if "://" in spelling:
        scheme, _, rest = spelling.partition("://")
        if scheme.lower().removeprefix("git+") not in ("https", "http", "ssh", "git"):
            return None
        return _from_plain(rest)
    host, colon, path = spelling.partition(":")  # the scp-like form user@host:owner/repo
    if not colon or "/" in host or len(host) < 2 or path.startswith(("/", "\\")):
        return None
    return _from_plain(f"{host}/{path}")


def _from_plain(text: str) -> str | None:
    authority, _, path = text.partition("/")
    host = authority.rpartition("@")[2].partition(":")[0].lower()
    path = path.partition("?")[0].partition("#")[0].strip("/").removesuffix(".git")
    parts = path.split("/")
    if not host or len(parts) < 2 or any(part in ("", ".", "..") for part in parts):
        return None
    if any(character.isspace() or not character.isprintable() for character in host + path):
        return None
    return f"git:{host}/{'/'.join(parts)}"
