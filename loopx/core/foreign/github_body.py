"""What the text of an issue says of other issues and of its own acceptance; code, comments and quotes say nothing.

Every pattern is bounded, so that a body of a megabyte is no special case.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopx.core.checklist_line import BoxState, box_of, fence_of
from loopx.core.foreign.record import AcceptanceBox
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.core.checklist_line import Box, Fence

_REFERENCE = re.compile(
    r"(?:https?://[\w.-]{1,100}/([\w.-]{1,39}/[\w.-]{1,100})/(?:issues|pull)/|([\w.-]{1,39}/[\w.-]{1,100})?#)(\d{1,10})\b"
)
_WAITS = re.compile(r"\b(?:blocked[ \t]{1,3}(?:by|on)|depends[ \t]{1,3}on)\b", re.IGNORECASE)
_DENIED = re.compile(r"(?:\bnot|\bno longer|n't|\bnever|\bwas)\s{0,3}$", re.IGNORECASE)
_DENIAL_REACH = 16  # characters before the words
_BETWEEN = re.compile(r"(?:[ \t:,;&*_()\[\]-]|\band\b){0,12}", re.IGNORECASE)
_LINE_END = re.compile(r"[ \t:*_#]*\Z")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_INLINE_CODE = re.compile(r"`[^`]*`")
_STRUCK = re.compile(r"~~[^~]*~~")


class BodyFacts(Value):
    """The issues that it waits for, those that its task list tracks, and the other boxes of that list."""

    waits_for: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()
    boxes: tuple[AcceptanceBox, ...] = ()


def issue_key(repository: str, number: str) -> str:
    """The id of an issue: numbers collide between repositories, and GitHub does not mind their case."""
    return f"{repository.lower()}#{number.lstrip('0') or '0'}"


def body_facts(body: str, repository: str) -> BodyFacts:
    """What the text says; bare numbers are of its own repository."""
    if not _may_say_something(body):
        return BodyFacts()
    waits: list[str] = []
    tracks: list[str] = []
    boxes: list[AcceptanceBox] = []
    goes_on = False  # the words stood alone, and a list of issues follows them
    for line in _prose(body):
        if not (goes_on or _may_say_something(line)):
            continue
        bullet = _BULLET.match(line)
        listed = _listed(line, bullet.end(), repository) if bullet and goes_on else []
        box = box_of(line)
        if listed:
            waits += listed
        elif box is not None and box.state is not None:
            _take_box(box, repository, tracks, boxes)
        found, ends_line = _waits(line, repository)
        waits += found
        goes_on = ends_line or (goes_on and (bool(listed) or not line.strip()))
    return BodyFacts(tuple(dict.fromkeys(waits)), tuple(dict.fromkeys(tracks)), tuple(boxes))


def _may_say_something(text: str) -> bool:
    """Whether a closer look is worth its time; most lines of most issues are only prose."""
    lowered = text.lower()
    return "depends" in lowered or "blocked" in lowered or "[" in text


def _take_box(box: Box, repository: str, tracks: list[str], boxes: list[AcceptanceBox]) -> None:
    """A box that begins with an issue tracks it, any other is a criterion."""
    listed = _listed(box.text, 0, repository)
    if listed:
        tracks += listed[:1]
    elif box.text:
        boxes.append(AcceptanceBox(box.text, box.state is BoxState.DONE))


def _waits(line: str, repository: str) -> tuple[list[str], bool]:
    """The issues named right behind the words for waiting, and whether the line ends with those words."""
    found: list[str] = []
    ends_line = False
    for words in _WAITS.finditer(line):
        if _DENIED.search(line, max(0, words.start() - _DENIAL_REACH), words.start()):
            continue
        listed = _listed(line, words.end(), repository)
        found += listed
        ends_line = not listed and _LINE_END.match(line, words.end()) is not None
    return found, ends_line


def _listed(line: str, at: int, repository: str) -> list[str]:
    """The references that stand there one after the other."""
    found: list[str] = []
    while True:
        between = _BETWEEN.match(line, at)
        reference = _REFERENCE.match(line, between.end() if between else at)
        if reference is None:
            return found
        found.append(issue_key(reference[1] or reference[2] or repository, reference[3]))
        at = reference.end()


def _prose(body: str) -> Iterator[str]:
    """The lines that the author means as text, without inline code and struck words."""
    fence: Fence | None = None
    for line in _uncommented(body).split("\n"):
        if fence is not None:
            fence = None if fence.is_closed_by(line) else fence
            continue
        fence = fence_of(line)
        if fence is None and not line.lstrip().startswith(">"):
            yield _STRUCK.sub(" ", _INLINE_CODE.sub(" ", line))


def _uncommented(body: str) -> str:
    """The text without HTML comments, which templates are full of; one that never ends hides the rest."""
    parts, at = [], 0
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    while (start := text.find("<!--", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("-->", start)
        at = len(text) if end < 0 else end + len("-->")
    parts.append(text[at:])
    return "".join(parts)
