"""Handoffs: what the next peer goes on from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, Verbatim, facts, line, table, title
from loopx.render.fallback import shown
from loopx.render.goal import missing_blocks
from loopx.render.receipt import event_words, foot, receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]

_TONES = {"not_ready": Tone.BAD, "ready_waiting_for_run": Tone.ALERT, "post_handoff_run_seen": Tone.GOOD}


def packet(document: Document) -> Iterator[Block]:
    """`handoff show` and `handoff create`."""
    handoff = document["handoff"]
    if "receipt" in document:
        yield line(event_words(document) + ": ", Span(handoff["handoff_id"] or "", Tone.STRONG))
    yield facts(_told(handoff))
    yield from _frontier(handoff["frontier"])
    yield from _gates(handoff["gates"])
    yield from _claims(handoff["claims"])
    yield from _criteria(handoff["validation_surface"])
    yield from missing_blocks(handoff["validation_surface"]["missing"])
    yield from _lineage(handoff["lineage"])
    yield from receipt_blocks(document)


def _told(handoff: Document) -> Iterator[tuple[str, str | Span]]:
    action, stop = handoff["next_action"] or {}, handoff["stop_condition"] or {}
    yield "state", Span(handoff["state"], _TONES[handoff["state"]])
    yield "goal", handoff["goal_id"]
    yield "from", handoff["from"] or ""
    yield "to", handoff["to"]
    yield "objective", handoff["objective"]
    yield "next action", action.get("text") or "nothing is left"
    for command in action.get("commands", ()):
        yield "", command
    yield "said last", action.get("stated") or ""
    yield "stop when", stop.get("text") or Span("nobody has said so", Tone.BAD)
    yield "lacks", ", ".join(name for name, holds in handoff["checks"].items() if not holds)
    yield "materials", _materials(handoff["material_frontier"])
    yield "digest", Span(handoff["digest"], Tone.QUIET)


def _materials(frontier: Document) -> str:
    if not frontier["required_count"]:
        return ""
    states = ("current", "required_unread", "stale", "missing", "inaccessible")
    counts = [f"{frontier[f'{state}_count']} {state}" for state in states if frontier[f"{state}_count"]]
    names = [ref["material_id"] for ref in frontier["material_refs"]]
    more = ", …" if frontier["material_refs_truncated"] else ""
    return f"{frontier['required_count']} required: {', '.join(counts)} ({', '.join(names)}{more})"


def _frontier(frontier: Document) -> Iterator[Block]:
    rows: list[tuple[str | Span, ...]] = [
        *(
            (Span(row["todo_id"], Tone.STRONG), row["priority"], "runnable", row["text"])
            for row in frontier["runnable"]
        ),
        *(
            (row["todo_id"], row["priority"], Span(row["reason_code"], Tone.ALERT), row["text"])
            for row in frontier["blocked"]
        ),
    ]
    if rows:
        yield Gap()
        counts = f"{frontier['runnable_total']} runnable, {frontier['blocked_total']} held"
        yield title(f"Frontier ({counts}, {frontier['deferred']} deferred)")
        yield table(("todo", "priority", "why", "text"), rows)


def _gates(gates: Document) -> Iterator[Block]:
    if gates["open"]:
        yield Gap()
        yield title(f"Open questions ({gates['total']})")
        columns = ("gate", "decides", "holds", "question")
        yield table(
            columns, ((row["todo_id"], row["decision_scope"] or "", _reach(row), row["text"]) for row in gates["open"])
        )


def _reach(gate: Mapping[str, Any]) -> str:
    return "everybody" if gate["global_gate"] else gate["blocks_agent"] or ""


def _claims(claims: Document) -> Iterator[Block]:
    if claims["held"]:
        yield Gap()
        yield title(f"Who is on what ({claims['total']})")
        names = ("todo_id", "agent_id", "held", "until")
        yield table(("todo", "agent", "how", "until"), ([row[name] for name in names] for row in claims["held"]))


def _criteria(surface: Document) -> Iterator[Block]:
    rows = [
        (
            row["id"],
            Span("met", Tone.GOOD) if row["met"] else Span("open", Tone.ALERT),
            row["text"],
            row["evidence"] or "",
        )
        for row in surface["acceptance"]
    ]
    if rows:
        yield Gap()
        yield title(f"Acceptance ({surface['unmet_total']} of {surface['acceptance_total']} open)")
        yield table(("criterion", "state", "text", "evidence"), rows)


def _lineage(lineages: list[Mapping[str, Any]]) -> Iterator[Block]:
    names = ("ancestors", "successors", "supersedes", "replaced_by")
    rows = [(row["todo_id"], *(shown(row[name]) for name in names)) for row in lineages if any(row[n] for n in names)]
    if rows:
        yield Gap()
        yield title("Lineage")
        yield table(("todo", "came out of", "led to", "replaces", "replaced by"), rows)


def many(document: Document) -> Iterator[Block]:
    """`handoff list`."""
    rows = document["handoffs"]
    if rows:
        yield table(("handoff", "from", "to", "at", "worked since"), map(_listed, rows))
    yield foot(document, len(rows), "handoff")


def _listed(row: Mapping[str, Any]) -> list[str | Span]:
    seen = Span("yes", Tone.GOOD) if row["post_handoff_run_seen"] else Span("no", Tone.ALERT)
    return [Span(row["handoff_id"], Tone.STRONG), row["from"] or "a person", row["to"], row["created_at"], seen]


def qualified(document: Document) -> Iterator[Block]:
    """`handoff qualify`."""
    tone = Tone.BAD if document["drift"] else Tone.GOOD
    yield line("distance ", Span(str(document["distance"]), tone), f" over {document['rounds']} rounds")
    yield facts(
        [
            ("drift", Span(shown(document["drift"]), Tone.BAD)),
            ("compared with", document["baseline"].replace("_", " ")),
            ("handoff", document["handoff_id"] or ""),
            ("as of", f"{document['evaluated_at']}, event {document['state_sequence']}"),
        ]
    )


def prompt(document: Document) -> Iterator[Block]:
    """`handoff prompt`: the text itself, to be piped on."""
    yield Verbatim(document["prompt"].rstrip("\n"))
