"""Goals, their peers and grants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, facts, line, table, title
from loopx.render.fallback import shown
from loopx.render.receipt import event_words, foot, receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Document = Mapping[str, Any]

_STATES = {"active": Tone.GOOD, "paused": Tone.ALERT, "closed": Tone.QUIET}


def one(document: Document) -> Iterator[Block]:
    """`goal show` and every verb on a goal."""
    if "receipt" in document:
        yield line(event_words(document) + ": ", Span(document["goal"]["goal_id"], Tone.STRONG))
    yield from goal_blocks(document["goal"])
    yield from missing_blocks(document["missing"])
    yield from receipt_blocks(document)


def goal_blocks(goal: Mapping[str, Any]) -> Iterator[Block]:
    """All that the registry says of a goal."""
    yield facts(
        [
            ("goal", f"{goal['goal_id']} ({goal['state']})"),
            ("objective", goal["objective"]),
            *((_criterion_name(criterion), criterion["text"]) for criterion in goal["acceptance"]),
            ("repositories", shown(goal["boundary"]["repositories"])),
            ("write scopes", shown(goal["boundary"]["write_scopes"])),
            ("budget", shown(goal["quota"])),
            ("pools", shown([f"{pool['name']} ({pool['capacity']})" for pool in goal["pools"]])),
        ]
    )
    if goal["agents"]:
        yield _agents(goal["agents"])
    if goal["todo_lifecycle_authority"]:
        yield _grants(goal["todo_lifecycle_authority"])


def _criterion_name(criterion: Mapping[str, Any]) -> str:
    return f"{criterion['id']} {'met' if criterion['met'] else 'open'}"


def missing_blocks(missing: Iterable[Mapping[str, Any]]) -> Iterator[Block]:
    """What keeps a goal open."""

    def cells(gap: Mapping[str, Any]) -> tuple[str | Span, ...]:
        return Span(gap["code"], Tone.ALERT), str(gap["count"]), shown(gap["subjects"])

    rows = [cells(gap) for gap in missing]
    if rows:
        yield Gap()
        yield title("Missing for closure")
        yield table(("what", "count", "which"), rows)


def many(document: Document) -> Iterator[Block]:
    """`goal list`."""
    goals = document["goals"]
    if goals:
        columns = ("goal", "state", "agents", "open", "blocked", "deferred", "criteria open", "objective")
        yield table(columns, (_row(goal) for goal in goals))
    yield foot(document, len(goals), "goal")


def _row(goal: Mapping[str, Any]) -> list[str | Span]:
    counts = (goal["agents"], goal["open"], goal["blocked"], goal["deferred"], goal["unmet_criteria"])
    return [
        Span(goal["goal_id"], Tone.STRONG),
        Span(goal["state"], _STATES[goal["state"]]),
        *(str(count) for count in counts),
        goal["objective"],
    ]


def agent(document: Document) -> Iterator[Block]:
    """`agent register` and `agent retire`."""
    value = document["agent"]
    yield _done_to(document, value["agent_id"])
    yield facts(
        [
            ("capabilities", shown(value["capabilities"])),
            ("claimed todos", _some(document["claimed_todos"])),
            ("bound todos", _some(document["bound_todos"])),
        ]
    )
    yield from receipt_blocks(document)


def agents(document: Document) -> Iterator[Block]:
    """`agent list`."""
    if document["agents"]:
        yield _agents(document["agents"])
    yield foot(document, len(document["agents"]), "agent")


def grant(document: Document) -> Iterator[Block]:
    """`authority grant` and `authority revoke`."""
    value = document["grant"]
    yield _done_to(document, value["agent_id"])
    yield facts([("actions", shown(value["actions"])), ("needs a reason", shown(value["requires_reason"]))])
    yield from receipt_blocks(document)


def grants(document: Document) -> Iterator[Block]:
    """`authority list`."""
    if document["grants"]:
        yield _grants(document["grants"])
    yield foot(document, len(document["grants"]), "grant")


def _done_to(document: Document, agent_id: str) -> Block:
    return line(event_words(document) + ": ", Span(agent_id, Tone.STRONG), f" on {document['goal_id']}")


def _agents(rows: Iterable[Mapping[str, Any]]) -> Block:
    def cells(row: Mapping[str, Any]) -> tuple[str | Span, ...]:
        state = Span("retired", Tone.QUIET) if row["retired"] else Span("active")
        return Span(row["agent_id"], Tone.STRONG), state, shown(row["capabilities"])

    return table(("agent", "state", "capabilities"), map(cells, rows))


def _grants(rows: Iterable[Mapping[str, Any]]) -> Block:
    def cells(row: Mapping[str, Any]) -> tuple[str | Span, ...]:
        return Span(row["agent_id"], Tone.STRONG), shown(row["actions"]), shown(row["requires_reason"])

    return table(("granted to", "actions", "needs a reason"), map(cells, rows))


def _some(count: int) -> str:
    return str(count) if count else ""
