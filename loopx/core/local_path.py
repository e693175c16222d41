"""Absolute paths of Linux, macOS and Windows inside prose: found by hand, in one pass and without patterns.

A path tells who works where, so it does not leave the machine (W11.5). Prose is full of slashes that are
no such path: relative paths, globs, URLs, routes, `and/or`. The rule: a path starts where a word starts
(so `src/x` and `https://h/x` have none), and

- `~/…`, `~user/…`, `C:\\…`, `\\\\server\\share…`, `//server/share…`, `file:…` are always paths;
- `/first/second…` is one when `first` is a folder that systems have (`home`, `Users`, `tmp`…), and when it
  is unknown too, unless it reads as a route: a route's first word (`api`, `v1`…), a parameter (`{id}`,
  `:id`, a number), or an HTTP method in front of it;
- one name alone (`/health`, `/tmp`) says nothing of a machine and stays.
"""

from __future__ import annotations

from loopx.core.value import Value

# fmt: off
ROOTS = frozenset((
    "home", "Users", "root", "tmp", "var", "etc", "opt", "usr", "mnt", "media", "srv", "private", "Volumes",
    "Library", "System", "Applications", "Network", "proc", "sys", "dev", "run", "bin", "sbin", "lib", "lib64",
    "boot", "data", "nix", "gnu", "snap", "cores", "work", "workspace", "workspaces", "builds", "cygdrive", "app",
    "scratch", "projects", "shared", "host_mnt", "storage", "sdcard", "export", "nfs", "net", "afs", "gpfs",
    "lustre",
))
# fmt: on
# fmt: off
ROUTES = frozenset((
    "api", "apis", "rest", "rpc", "graphql", "auth", "oauth", "oauth2", "login", "logout", "signup", "account",
    "accounts", "user", "users", "me", "session", "sessions", "admin", "internal", "public", "health", "healthz",
    "ready", "readyz", "live", "livez", "status", "metrics", "debug", "ws", "wss", "events", "stream", "webhook",
    "webhooks", "hooks", "callback", "search", "query", "static", "assets", "images", "img", "css", "js", "docs",
    "help", "blog", "posts", "orders", "products", "items", "cart", "checkout", "payments", "settings", "dashboard",
    "reports", "latest", "stable", ".well-known", "_next", "swagger", "openapi",
))
# fmt: on
METHODS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"))
SAME_EVERYWHERE = frozenset(("null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty"))
WINDOWS_ROOTS = frozenset(("users", "windows", "program files", "programdata", "documents and settings", "temp"))

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»"}
_ENDERS = frozenset("\"'`<>|“”‘’«»，。；：、（）「」『』！？")
_GLUED = frozenset("_./\\-~*)]}$%?#")  # in front of a slash they make it part of a longer word
_NOT_IN_NAMES = frozenset(":=/\\@$")  # what no name of a continued path holds
_TRAILING = ".,;:!?)]}*…"
_IDEOGRAPHS = "\u2e80"  # from here on, scripts that put no space between words
LONGEST_NAME = 255  # characters looked at for one name; file systems have none longer
_LONGEST_QUOTED = 1_024


class PathSpan(Value):
    """Where one path stands in a text: `[start, end)`."""

    start: int
    end: int


def find_paths(text: str) -> tuple[PathSpan, ...]:
    """Every absolute local path of the text, in order and without overlap; linear in its length (W11.5)."""
    if "/" not in text and "\\" not in text:
        return ()
    found: list[PathSpan] = []
    at = _next_separator(text, 0)
    while at >= 0:
        start = _path_start(text, at, found[-1].end if found else 0)
        if start >= 0:
            found.append(PathSpan(start, _path_end(text, start, at)))
            at = _next_separator(text, max(found[-1].end, at + 1))
        else:
            at = _next_separator(text, at + 1)
    return tuple(found)


def _next_separator(text: str, at: int) -> int:
    """The next slash or backslash from `at` on; -1 for none."""
    for index in range(at, len(text)):
        if text[index] in "/\\":
            return index
    return -1


def _path_start(text: str, at: int, floor: int) -> int:
    """Where the path begins whose first separator is at `at`, not before `floor`; -1 for none."""
    for rule in (_drive, _tilde, _file_url, _share, _rooted):
        start = rule(text, at)
        if start >= floor:
            return start
    return -1


def _opens_word(text: str, at: int) -> bool:
    """Whether a word may start at `at`."""
    if at == 0:
        return True
    before = text[at - 1]
    return not (before in _GLUED or (before.isalnum() and before < _IDEOGRAPHS))


def _drive(text: str, at: int) -> int:
    """`C:\\` and `C:/`."""
    if at < 2 or text[at - 1] != ":" or not (text[at - 2].isascii() and text[at - 2].isalpha()):
        return -1
    return at - 2 if at == 2 or not text[at - 3].isalnum() else -1


def _tilde(text: str, at: int) -> int:
    """`~/` and `~name/`."""
    back = at - 1
    while back > at - 33 and back >= 0 and (text[back].isalnum() or text[back] in "._-"):
        back -= 1
    if back < 0 or text[back] != "~" or not _opens_word(text, back):
        return -1
    name = text[back + 1 : at]
    if name and not (name[0].isalpha() or name[0] == "_"):
        return -1
    return back if name or not _ends(text, at + 1) else -1


def _file_url(text: str, at: int) -> int:
    """`file:/…`, `file://host/…`, and the empty host of any scheme: `sqlite:///…`."""
    if text[at] != "/" or at == 0:
        return -1
    if text[max(0, at - 5) : at].lower() == "file:" and _opens_word(text, at - 5):
        return at - 5
    if text[at - 1] == ":" and text.startswith("///", at) and not _ends(text, at + 3):
        return at + 2
    return at if text[max(0, at - 7) : at] == "://file" else -1


def _share(text: str, at: int) -> int:
    """`\\\\server\\share`, also with every backslash doubled, and `//server/share`."""
    mark = text[at]
    if not text.startswith(mark * 2, at) or not _opens_word(text, at) or text.startswith(":/", at - 1):
        return -1
    server = at
    while server < len(text) and server < at + 4 and text[server] == mark:
        server += 1
    end = server
    while end < len(text) and end < server + LONGEST_NAME and (text[end].isalnum() or text[end] in "._-$?"):
        end += 1
    named = end - server > 1 or text[server:end] in ("?", ".")
    share = end + 1 + text.startswith(mark, end + 1)
    return at if named and text.startswith(mark, end) and not _ends(text, share) else -1


def _rooted(text: str, at: int) -> int:
    """`/first/second…` (each slash may be escaped) and, for folders that only Windows has, `\\first\\second…`."""
    mark = text[at]
    escaped = text.startswith("\\/", at)
    if escaped:
        mark = "/"
    first, after = _name(text, at + 1 + escaped, mark)
    if not first or not text.startswith(mark, after) or _ends(text, after + 1):
        return -1
    if mark == "\\":
        return at if first.lower() in WINDOWS_ROOTS and _opens_word(text, at) else -1
    second, _ = _name(text, after + 1, mark)
    if first == "dev" and second in SAME_EVERYWHERE:
        return -1
    if first in ROOTS or _is_drive_letter(first, second):
        return at if _opens_word(text, at) or _after_flag(text, at) else -1
    return at if _opens_word(text, at) and not _is_route(text, at, first, second) and second else -1


def _name(text: str, at: int, mark: str) -> tuple[str, int]:
    """The name that starts at `at`, and where it ends."""
    end = at
    while end < len(text) and end < at + LONGEST_NAME and text[end] != mark and not _ends(text, end):
        if text[end] == "\\" and text.startswith(mark, end + 1):  # a slash escaped as in `\/home\/x`
            return text[at:end], end + 1
        end += 1
    return text[at:end], end


def _is_drive_letter(first: str, second: str) -> bool:
    """`/c/Users`, as a shell on Windows spells a drive."""
    return len(first) == 1 and first.isalpha() and second.lower() in WINDOWS_ROOTS


def _after_flag(text: str, at: int) -> bool:
    """A compiler's `-I/usr/include` or `-L/opt/lib`."""
    return at >= 2 and text[at - 2 : at] in ("-I", "-L") and (at == 2 or text[at - 3].isspace())


def _is_route(text: str, at: int, first: str, second: str) -> bool:
    """Whether an unknown `/first/second` reads as an address of a service."""
    if first.lower() in ROUTES or first[0] in ":{<$" or (first[0] == "v" and first[1:].isdecimal()):
        return True
    if not second or second[0] in ":{<$" or second.rstrip(_TRAILING).isdecimal():
        return True
    words = text[max(0, at - 10) : at].split()
    return bool(words) and words[-1].strip("`\"'") in METHODS


def _ends(text: str, at: int) -> bool:
    """Whether no name goes on at `at`."""
    return at >= len(text) or text[at].isspace() or text[at] in _ENDERS


def _path_end(text: str, start: int, at: int) -> int:
    """The end of a path: of its quoted text, or of its word and the words that plainly belong to it."""
    closing = _QUOTES.get(text[start - 1]) if start else None
    if closing:
        end = text.find(closing, at, at + _LONGEST_QUOTED)
        if end > 0 and "\n" not in text[at:end]:
            return end
    end = _word_end(text, at)
    mark = "\\" if "\\" in text[start:end] else "/"
    while (further := _continued(text, end, mark)) > end:
        end = further
    while end > at + 1 and text[end - 1] in _TRAILING:
        end -= 1
    return end


def _word_end(text: str, at: int) -> int:
    """The end of the word at `at`; an escaped space belongs to it."""
    while not _ends(text, at) or (at < len(text) and text[at] == " " and text[at - 1] == "\\"):
        at += 1
    return at


def _continued(text: str, end: int, mark: str) -> int:
    """Where a path with a space in a name goes on to, or `end`.

    Backslashes are rare in prose: up to three words later one of them is still this path's
    (`C:\\Users\\A Name\\x`). A slash is common, so there only the next word, and only a capital one
    (`/Users/x/Library/Application Support/y`).
    """
    if not text.startswith(" ", end):
        return end
    ahead = text[end + 1 : end + 1 + LONGEST_NAME].split("\n", 1)[0].split(" ")
    for count, word in enumerate(ahead[: 3 if mark == "\\" else 1]):
        name = word.partition(mark)[0]
        belongs = bool(name) and mark in word and not any(char in _NOT_IN_NAMES for char in name)
        if belongs and (mark == "\\" or name[0].isupper()):
            return _word_end(text, end + 1 + sum(len(name) + 1 for name in ahead[:count]))
    return end
