"""Documents as HTML: the templates, and the few things that they ask of Python. Every text is escaped by the engine."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from loopx.core.command import command
from loopx.core.instant import DAY, HOUR, MINUTE, format_instant, parse_instant
from loopx.core.text import tagged_priority
from loopx.render.reason import reason_words, stage_words
from loopx.render.width import harmless, harmless_lines
from loopx.render.words import class_word, state_span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.core.instant import Instant

_TODO_ID = re.compile(r"\btodo_[0-9a-z]{10}\b")
_CODE = Markup("<code>{}</code>")
_DEEDS = {
    "lease_acquired": "took a lease on",
    "lease_renewed": "renewed the lease on",
    "lease_released": "gave back the lease on",
    "lease_transferred": "handed over the lease on",
    "lease_expired": "saw the lease end on",
    "operation_undone": "undid an operation on",
    "doctor_fixed": "let doctor mend the state",
    "registry_edited": "saw a hand edit of the registry",
    "run_recorded": "recorded a run on",
    "slot_spent": "booked a run on",
    "gate_answered": "answered",
    "gate_revoked": "revoked the answer of",
    "attempt_noted": "noted a late result on",
}
_PLAIN_NOUNS = ("todo", "task", "monitor")  # what follows is a todo anyway
_LONG_TEXT = 1_200  # characters of a question that are read at a glance


def environment() -> Environment:
    """The templates; an unknown name in one is an error."""
    made = Environment(
        loader=PackageLoader("loopx.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "when": when,
        "line": harmless,
        "prose": prose,
        "untagged": untagged,
        "coded": coded,
        "deed": deed,
        "shortened": shortened,
        "linked": linked,
        "state": lambda todo: state_span(todo).text,
        "kind": class_word,
        "reason": reason_words,
        "stage": stage_words,
        "spaced": lambda name: str(name).replace("_", " "),
        "amount": amount,
    }
    made.globals |= {"command": command, "link": link, "plural": plural, "share": share}
    return made


def link(path: str, **words: str | int | None) -> str:
    """A local address with the words that are there."""
    given = {name: value for name, value in words.items() if value is not None}
    return f"{quote(path)}?{urlencode(given)}" if given else quote(path)


def plural(number: int, noun: str) -> str:
    """`1 todo`, `2 todos`, `10,000 todos`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def amount(number: float) -> str:
    """A number as people read it: thousands apart, no more than two decimals."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def share(part: float, whole: float) -> float:
    """How many hundredths of the whole the part is, at most a hundred."""
    return round(min(100.0, 100 * part / whole), 2) if whole > 0 else 100.0


def untagged(text: str) -> str:
    """A text on one line, without a leading `[Pn]`: the priority is shown beside it."""
    return harmless(_bare(text))


def coded(text: str) -> Markup:
    """A sentence with what stands between backticks as code."""
    parts = [linked(part) if place % 2 == 0 else _CODE.format(part) for place, part in enumerate(text.split("`"))]
    return Markup("").join(parts)


def deed(action: str) -> str:
    """`todo_claimed` as people say it: claimed."""
    noun, _, verb = action.rpartition("_")
    return _DEEDS.get(action) or (verb if noun in _PLAIN_NOUNS else f"{verb} {noun.replace('_', ' ')}".strip())


def prose(text: str) -> str:
    """A text with its lines; what would drive or turn the display is shown as a sign."""
    return "\n".join(harmless_lines(text))


def shortened(text: str) -> str:
    """As much of a text as is read at a glance; the todo's page has the whole."""
    bare = _bare(text)
    return prose(bare) if len(bare) <= _LONG_TEXT else prose(bare[:_LONG_TEXT]) + " …"


def _bare(text: str) -> str:
    """The text without its `[Pn]`, unless nothing else is in it."""
    rest = text.lstrip()[4:].lstrip() if tagged_priority(text) is not None else ""
    return rest or text


def when(instant: str | None, now: Instant) -> Markup:
    """How far away an RFC 3339 instant is, with the exact one on hover; nothing for none."""
    if instant is None:
        return Markup()
    moment = parse_instant(instant, now=now)
    exact = f"{format_instant(moment)[:19].replace('T', ' ')} UTC"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(instant, exact, distance(moment - now))


def distance(microseconds: int) -> str:
    """`just now`, `5 min ago`, `in 3 h`: a whole number of the greatest unit that fits."""
    size = abs(microseconds)
    if size < MINUTE:
        return "just now" if microseconds <= 0 else "in a moment"
    unit, name = next(row for row in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")) if size >= row[0])
    return f"{size // unit} {name} ago" if microseconds < 0 else f"in {size // unit} {name}"


def linked(value: Any) -> Markup:
    """The value as text, with each todo's id as a link to it."""
    text = harmless(", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    return Markup("").join(_linked_parts(text))


def _linked_parts(text: str) -> list[Markup]:
    parts, end = [], 0
    for match in _TODO_ID.finditer(text):
        parts += [escape(text[end : match.start()]), Markup('<a href="/todos/{0}">{0}</a>').format(match[0])]
        end = match.end()
    return [*parts, escape(text[end:])]


def draw(made: Environment, template: str, values: Mapping[str, Any], *, now: Instant) -> str:
    """The page; times are told from `now`."""
    return made.get_template(template).render({**values, "now": now, "ago": partial(when, now=now)})
