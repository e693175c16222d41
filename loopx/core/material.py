"""What agents must have read: where it is, which revision they know, and what a handoff says of it (W11.5).

A reference is one of four spellings: a path of the project's folder, `git:[HOST/OWNER/REPO@]REVISION:PATH`,
or a URL. The first two are read where they are and their revision follows from their bytes. Nothing is
fetched: the revision of a URL, or of a blob in another repository, is the one that somebody last stated.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from loopx.core.errors import UsageError
from loopx.core.repository import parse_repository
from loopx.core.secret import find_secrets, masked
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from loopx.core.goal import Material

MAX_HANDOFF_REFS = 4  # the seed's bound
LONGEST_REFERENCE = 2_000  # characters; what browsers take
LONGEST_REVISION = 200
_GIT = "git:"
_WEB = ("https://", "http://")
_FORMS = "A material is a path inside the project, git:REVISION:PATH, or an https URL."


class ReferenceKind(StrEnum):
    FILE = "file"  # a file of the project's folder
    BLOB = "blob"  # a file at a git revision of the project's own repository
    REMOTE_BLOB = "remote_blob"  # the same of another repository, which is not fetched
    URL = "url"  # not fetched either

    @property
    def is_stated(self) -> bool:
        """Whether its revision is what somebody stated, because nobody here reads it."""
        return self in (ReferenceKind.URL, ReferenceKind.REMOTE_BLOB)


class Reference(Value):
    """Where a material is; `place` is a relative path or the URL, the rest belongs to blobs."""

    kind: ReferenceKind
    place: str
    revision: str | None = None
    repository: str | None = None


class MaterialState(StrEnum):
    """How an agent stands to one material that it must have read (W11.5)."""

    CURRENT = "current"  # it has read the present revision
    STALE = "stale"  # it has read another one
    MISSING = "missing"  # there is no such file or blob
    INACCESSIBLE = "inaccessible"  # it is there and may not or cannot be read
    REQUIRED_UNREAD = "required_unread"  # it has acknowledged none yet


# What a receiver has to see to comes first where not all references fit.
_URGENCY = (
    MaterialState.MISSING,
    MaterialState.INACCESSIBLE,
    MaterialState.STALE,
    MaterialState.REQUIRED_UNREAD,
    MaterialState.CURRENT,
)


class Sighting(Value):
    """What looking at a material gave: its revision, or why there is none; both None: nobody stated one."""

    revision: str | None = None
    fault: MaterialState | None = None
    why: str | None = None  # the fault in words, without a path


class Standing(Value):
    """One required material and how the agent stands to it."""

    material: Material
    state: MaterialState
    revision: str | None = None
    read: str | None = None


def parse_reference(spelling: str) -> Reference:
    """The place that a reference names; UsageError where it could lead outside or would carry a credential."""
    text = spelling.strip()
    if not 0 < len(text) <= LONGEST_REFERENCE or not text.isprintable():
        raise UsageError("this is no reference to a material", hint=_FORMS)
    if text.lower().startswith(_WEB):
        return _url(text)
    if text.startswith(_GIT):
        return _blob(text)
    if "://" in text:
        raise UsageError("a material's URL begins with https:// or http://", hint=_FORMS)
    return Reference(ReferenceKind.FILE, _inside(text))


def parse_revision(text: str) -> str:
    """A revision as somebody states it; UsageError for white space, control characters or a secret."""
    revision = text.strip()
    sound = 0 < len(revision) <= LONGEST_REVISION and revision.isprintable() and " " not in revision
    if not sound or masked(revision) != revision:
        raise UsageError(
            "this is no revision", hint="A revision is a word, such as a date, a version or a digest.", field="revision"
        )
    return revision


def _url(text: str) -> Reference:
    """A URL that shows nobody's credentials."""
    authority = text.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]
    if not authority or any(char.isspace() for char in text):
        raise UsageError("this URL names no host", hint=_FORMS)
    if "@" in authority or find_secrets(text):
        raise UsageError(
            "this URL carries a credential, and every packet would carry it on",
            hint="Give the URL without user, password and token.",
        )
    return Reference(ReferenceKind.URL, text)


def _blob(text: str) -> Reference:
    named, colon, path = text[len(_GIT) :].partition(":")
    host, at, revision = named.rpartition("@")
    if not colon or not _is_revision(revision):
        raise UsageError(f"{text!r} names no blob", hint="A blob is git:REVISION:PATH, such as git:main:docs/api.md.")
    repository = parse_repository(_GIT + host) if at else None
    kind = ReferenceKind.REMOTE_BLOB if repository else ReferenceKind.BLOB
    return Reference(kind, _inside(path), revision, repository)


def _is_revision(text: str) -> bool:
    """Whether git would read it as one name, and nothing else would read it as an option."""
    allowed = all(char.isalnum() or char in "._/-+~^" for char in text)
    return bool(text) and allowed and text[0] not in "-/." and ".." not in text


def _inside(path: str) -> str:
    """A relative path in its one spelling; UsageError for one that leaves the project or names its state."""
    names = [name for name in path.split("/") if name not in ("", ".")]
    absolute = path.startswith(("/", "\\", "~")) or path[1:2] == ":"
    if absolute or not names or ".." in names or "\\" in path or names[0] in (".git", ".loopx"):
        raise UsageError("a material's path is relative and stays inside the project", hint=_FORMS)
    return "/".join(names)


# --- how an agent stands ---------------------------------------------------------------------


def required_of(materials: Iterable[Material], agent_id: str) -> tuple[Material, ...]:
    """What the agent must have read, each id once, in the order of the registry."""
    mine = {material.id: material for material in materials if agent_id in material.required_for}
    return tuple(mine.values())


def standing_of(material: Material, sighting: Sighting, read: str | None) -> Standing:
    """How an agent that acknowledged the revision `read` (None: none) stands to a material."""
    if sighting.fault is not None:
        state = sighting.fault
    elif read is None:
        state = MaterialState.REQUIRED_UNREAD
    elif sighting.revision in (None, read):
        state = MaterialState.CURRENT
    else:
        state = MaterialState.STALE
    return Standing(material, state, sighting.revision, read)


class MaterialRef(Value):
    """What a handoff says of one material: never its body or its place."""

    material_id: str
    relation: str | None
    purpose: str | None


class MaterialFrontier(Value):
    """The bounded projection for a handoff."""

    counts: Mapping[MaterialState, int]
    refs: tuple[MaterialRef, ...]
    required: int

    @property
    def is_truncated(self) -> bool:
        return self.required > len(self.refs)


def project_frontier(standings: Sequence[Standing]) -> MaterialFrontier:
    """Counts over all, and at most four references, those that need reading first; each id counts once."""
    first = {standing.material.id: standing for standing in reversed(standings)}
    once = [standing for standing in standings if first[standing.material.id] is standing]
    shown = sorted(once, key=lambda standing: _URGENCY.index(standing.state))[:MAX_HANDOFF_REFS]
    return MaterialFrontier(
        counts={state: sum(standing.state is state for standing in once) for state in MaterialState},
        refs=tuple(MaterialRef(s.material.id, s.material.relation, s.material.purpose) for s in shown),
        required=len(once),
    )
