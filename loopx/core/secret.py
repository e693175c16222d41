"""Credentials and local paths in text: found at entry to warn, replaced by a mark in whatever leaves (W11.5).

Recognition is by shape, so it is a net and no promise: what looks like nothing passes. It errs to the
safe side where the two readings cost differently, and leaves alone what only resembles a secret: hashes,
UUIDs, ids, placeholders, code that names a variable. The stored text is never changed.
"""

from __future__ import annotations

from loopx.core.local_path import find_paths
from loopx.core.secret_shape import SHAPES, USER_INFO, Shape
from loopx.core.text import CUT_MARK, cut
from loopx.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match, Pattern

PATH_MARK = "[local path]"
URL_CREDENTIALS = "url credentials"
_WINDOW = 1_024  # characters of a long text that are looked at beyond what its brief shows
_OUR_IDS = ("todo_", "lease_", "run_", "handoff_", "op_", "message_", "plan_")
_SHORTEST_KEY = 8  # characters of a value that something called a key, secret or token may have
# fmt: off
_PLACEHOLDERS = frozenset((
    "none", "null", "nil", "true", "false", "required", "optional", "missing", "unset", "empty", "redacted",
    "hidden", "masked", "changeme", "example", "string", "str", "bytes", "int", "bool", "text", "value", "name",
    "field", "input", "prompt", "env", "stdin", "password", "passwd", "token", "secret", "here", "yes", "must",
    "file", "random",
))
# fmt: on

_compiled: dict[str, Pattern[str]] = {}  # by source; filled as texts need them


class SecretFinding(Value):
    """One credential: `[start, end)` of the text, and what kind of credential it looks like."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[SecretFinding, ...]:
    """Every credential of the text, in order and without overlap; linear in its length (W11.5)."""
    lowered = text.lower() if not text.islower() else text
    found: list[SecretFinding] = []
    for shape in SHAPES:
        if any(letters in lowered for letters in shape.letters):
            found.extend(_matches(shape, text))
    if "://" in text and "@" in text:
        found.extend(
            SecretFinding(URL_CREDENTIALS, *match.span("password"))
            for match in _pattern(USER_INFO).finditer(text)
            if len(match["password"] or "") > 1
        )
    return _apart(found)


def masked(text: str) -> str:
    """The text with a mark for each credential and each absolute local path, and URLs without their user part.

    A masked text is its own mask. Linear; a text without a suspect costs a few substring searches.
    """
    spans = [(found.start, found.end, f"[secret: {found.kind}]") for found in find_secrets(text)]
    if "://" in text and "@" in text:
        spans.extend((*match.span(), "") for match in _pattern(USER_INFO).finditer(text))
    spans.extend((path.start, path.end, PATH_MARK) for path in find_paths(text))
    return _replaced(text, spans) if spans else text


def masked_word(word: str) -> str:
    """A word without white space, masked and still one: `direction:action:[local-path]`."""
    shown = masked(word)
    return word if shown == word else "-".join(shown.split())


def masked_brief(text: str, limit_bytes: int) -> str:
    """At most `limit_bytes` of the masked text; masked first, so that no half of a secret is left over.

    Of a long text only the beginning is looked at, up to a word's end.
    """
    start = text[: limit_bytes + _WINDOW]
    if len(start) == len(text):
        return cut(masked(text), limit_bytes)[0]
    words = start.rsplit(None, 1)
    return cut(f"{masked(words[0] if len(words) > 1 else text)} {CUT_MARK}", limit_bytes)[0]


def _pattern(source: str) -> Pattern[str]:
    pattern = _compiled.get(source)
    if pattern is None:
        import re  # compiling is what costs; most texts need none

        pattern = _compiled[source] = re.compile(source)
    return pattern


def _matches(shape: Shape, text: str) -> Iterator[SecretFinding]:
    for match in _pattern(shape.pattern).finditer(text):
        groups = match.groupdict()
        if "value" in groups:
            if _is_credential(match, shape.kind):
                yield SecretFinding(shape.kind, *_inside_quotes(match))
        else:
            yield SecretFinding(shape.kind, *match.span("secret" if "secret" in groups else 0))


def _inside_quotes(match: Match[str]) -> tuple[int, int]:
    start, end = match.span("value")
    return (start + 1, end - 1) if match["value"][0] in "\"'" else (start, end)


def _is_credential(match: Match[str], kind: str) -> bool:
    """Whether what a name is set to is a credential rather than a type, a placeholder, a variable or prose."""
    value, quoted = match["value"], match["value"][0] in "\"'"
    bare = value.strip("\"'").rstrip(".,;:!?)]}")
    if not bare or bare[0] in "[<{$%*(@…" or bare.lower() in _PLACEHOLDERS or "(" in bare or "${" in bare:
        return False
    if bare.startswith(_OUR_IDS):
        return False
    if " " in bare:  # a sentence in quotes; a passphrase is only what is assigned
        return kind == "password" and match["how"] != ":"
    odd = any(not char.isalpha() and char not in "_.-[]" for char in bare)
    if kind == "password":
        assigned = match["how"] != ":" or quoted
        return len(bare) >= 3 and (odd or (assigned and "." not in bare and "_" not in bare))
    return len(bare) >= _SHORTEST_KEY and any(char.isdecimal() for char in bare) and not bare.isdecimal()


def _apart(found: list[SecretFinding]) -> tuple[SecretFinding, ...]:
    """In order; of two that overlap, the one that starts first, and the longer of those."""
    kept: list[SecretFinding] = []
    for finding in sorted(found, key=lambda each: (each.start, -each.end)):
        if kept and finding.start < kept[-1].end:
            kept[-1] = kept[-1]._replace(end=max(kept[-1].end, finding.end))
        else:
            kept.append(finding)
    return tuple(kept)


def _replaced(text: str, spans: list[tuple[int, int, str]]) -> str:
    """The text with each span as its mark; spans that overlap become one, with the first one's mark."""
    pieces: list[str] = []
    done = 0
    for start, end, mark in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= done:
            pieces += (text[done:start], mark)
        done = max(done, end)
    return "".join((*pieces, text[done:]))
