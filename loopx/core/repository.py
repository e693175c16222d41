"""One identity for a repository, however its remote is spelt: `git:host/owner/repo` (W9.1, W9.3).

The identity leaves the machine in packets, so it is built from what may be shown and nothing else:
user, password and port are dropped, and where it is unclear which part of a URL is which (a password
with a slash in it, a query) the whole is refused rather than a piece of a secret kept. For the same
reason no refusal repeats what was typed.
"""

from __future__ import annotations

from loopx.core.errors import UsageError

_FORM = "git:HOST/OWNER/REPO, such as git:github.com/example/project, or the https or ssh URL of a remote"
_SCHEMES = frozenset(("https", "http", "ssh", "git", "git+https", "git+http", "git+ssh", "ssh+git"))
_NOT_IN_A_PATH = frozenset("@:?#\\%")  # all could hide a part of a credential, or another spelling
LONGEST_IDENTITY = 300  # characters


def parse_repository(text: str) -> str:
    """The canonical identity; UsageError, which never echoes the text, for anything else.

    The host's case does not matter, the path's does. Ports are not part of the identity.
    """
    spelling = text.strip()
    if spelling.startswith("git:") and "://" not in spelling:
        identity = _identity(*_split(spelling[4:]))
    else:
        identity = repository_from_remote(spelling)
    if identity is None:
        raise UsageError("this does not name a repository on a host", hint=f"A repository is {_FORM}.")
    return identity


def repository_from_remote(url: str) -> str | None:
    """The identity behind a remote's URL; None for a local one and where the URL is unclear."""
    spelling = url.strip()
    scheme, separator, rest = spelling.partition("://")
    if separator:
        return _identity(*_split(rest)) if scheme.lower() in _SCHEMES else None
    return _identity(*_split_scp(spelling))


def _split(text: str) -> tuple[str, str]:
    """Authority and path of `user:password@host:port/path`."""
    authority, _, path = text.partition("/")
    return authority, path


def _split_scp(text: str) -> tuple[str, str]:
    """Authority and path of git's `user@host:path`; none for a local path, a drive among them."""
    head, bracket, _ = text.partition("]:")
    authority, colon, path = (head + "]", ":", text[len(head) + 2 :]) if bracket else text.partition(":")
    if not colon or "/" in authority or len(authority) < 2:
        return "", ""
    return authority, path


def _identity(authority: str, path: str) -> str | None:
    host = _host(authority)
    names = [name for name in path.split("/") if name]
    while names and names[-1].endswith(".git"):
        names[-1] = names[-1].removesuffix(".git")
    if host is None or not names or not all(_is_plain(name) for name in names):
        return None
    identity = f"git:{host}/{'/'.join(names)}"
    return identity if len(identity) <= LONGEST_IDENTITY else None


def _host(authority: str) -> str | None:
    """The lower-case host without user and port, or None."""
    named = authority.rpartition("@")[2].lower()
    if named.startswith("["):
        host, closed, rest = named.partition("]")
        address = host.removeprefix("[")
        sound = bool(closed) and bool(address) and all(char in "0123456789abcdef:." for char in address)
        return f"[{address}]" if sound and _is_port(rest) else None
    host, colon, port = named.partition(":")
    if not host or not host[0].isalnum() or not all(char.isalnum() or char in "-._" for char in host):
        return None
    return host if _is_port(colon + port) else None


def _is_port(text: str) -> bool:
    return text in ("", ":") or (text[0] == ":" and text[1:].isascii() and text[1:].isdecimal())


def _is_plain(name: str) -> bool:
    """Whether it is one name of a path, without anything that could be part of a credential."""
    return (
        name not in ("", ".", "..")
        and name.isprintable()
        and not any(char.isspace() or char in _NOT_IN_A_PATH for char in name)
    )
