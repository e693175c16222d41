"""`status`: each goal at a glance, with what needs somebody first in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, facts, table, title
from loopx.render.goal import missing_blocks
from loopx.render.receipt import foot
from loopx.render.words import class_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]

_HELD = {"claimed": Tone.PLAIN, "stale": Tone.BAD, "leased": Tone.ALERT}


def goals(document: Document) -> Iterator[Block]:
    """Every goal of the page."""
    for goal in document["goals"]:
        yield from _goal(goal)
        yield Gap()
    yield foot(document, len(document["goals"]), "goal")


def _goal(goal: Mapping[str, Any]) -> Iterator[Block]:
    yield title(f"{goal['goal_id']} ({goal['state']})")
    yield facts([("objective", goal["objective"]), ("todos", _counts(goal["counts"])), *_by_class(goal)])
    yield from _gates(goal)
    yield from _work(goal)
    yield from missing_blocks(goal["missing"])


def _by_class(goal: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, counts in goal["by_class"].items():
        yield class_word(name), _counts(counts)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"


def _gates(goal: Mapping[str, Any]) -> Iterator[Block]:
    if goal["gates"]:
        yield Gap()
        yield title(_heading("Gates that a person must answer", goal, "gates"))
        yield table(("gate", "pri", "holds", "frees", "scope", "question"), map(_gate, goal["gates"]))


def _gate(row: Mapping[str, Any]) -> list[str | Span]:
    holds = "everybody" if row["global_gate"] else row["blocks_agent"] or ""
    return [
        Span(row["todo_id"], Tone.ALERT),
        row["priority"],
        holds,
        row["unblocks_todo_id"] or "",
        row["decision_scope"] or "",
        row["text"],
    ]


def _work(goal: Mapping[str, Any]) -> Iterator[Block]:
    if goal["work"]:
        yield Gap()
        yield title(_heading("Who is on what", goal, "work"))
        yield table(("agent", "todo", "pri", "held", "until", "text"), map(_held, goal["work"]))


def _held(row: Mapping[str, Any]) -> list[str | Span]:
    word = row["held"] if row["held"] == "claimed" else row["held"].upper()
    return [
        Span(row["agent_id"], Tone.STRONG),
        row["todo_id"],
        row["priority"],
        Span(word, _HELD[row["held"]]),
        row["until"],
        row["text"],
    ]


def _heading(words: str, goal: Mapping[str, Any], key: str) -> str:
    rest = goal[f"{key}_total"] - len(goal[key])
    return f"{words} ({rest} more are not shown)" if rest else words
