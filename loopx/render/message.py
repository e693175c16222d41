"""Mail and plans: who wrote what to whom, and what still waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, facts, line, table
from loopx.render.receipt import event_words, foot, receipt_blocks
from loopx.render.words import seconds_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]

_PLAN_TONES = {"pending": Tone.ALERT, "approved": Tone.GOOD, "rejected": Tone.BAD, "replaced": Tone.QUIET}


def one(document: Document) -> Iterator[Block]:
    """`message send`, `show` and `ack`."""
    value = document["message"]
    if document.get("receipt") is not None:
        yield line(event_words(document) + ": ", Span(value["message_id"], Tone.STRONG))
    yield facts(
        [
            ("message", Span(value["message_id"], Tone.STRONG)),
            ("kind", value["kind"]),
            ("from", value["sender"]),
            ("to", value["recipient"]),
            ("about", value["todo_id"] or value["request_id"]),
            ("sent", value["sent_at"]),
            ("read", value["acked_at"] or Span("not yet", Tone.ALERT)),
            ("text", value["text"]),
        ]
    )
    yield _mailbox(document["mailbox"])
    yield from receipt_blocks(document)


def many(document: Document) -> Iterator[Block]:
    """`message inbox` and `sent`."""
    if document["messages"]:
        columns = ("message", "kind", "from", "to", "waits", "about", "text")
        yield table(columns, (_row(value) for value in document["messages"]))
    yield foot(document, len(document["messages"]), "message")
    if document["mailbox"] is not None:
        yield _mailbox(document["mailbox"])


def pruned(document: Document) -> Iterator[Block]:
    """`message prune`."""
    yield line(f"{document['pruned']} forgotten" + (", and there are more" if document["truncated"] else ""))
    yield _mailbox(document["mailbox"])
    yield from receipt_blocks(document)


def plan(document: Document) -> Iterator[Block]:
    """`plan submit`, `approve`, `reject` and `show`."""
    value = document["plan"]
    yield facts(
        [
            ("plan", Span(value["plan_id"], Tone.STRONG)),
            ("of", value["agent_id"]),
            ("state", Span(value["status"], _PLAN_TONES[value["status"]])),
            ("for", value["reviewer"] if value["status"] == "pending" else None),
            ("answered by", value["answered_by"]),
            ("note", value["note"]),
            ("text", value["text"]),
        ]
    )
    if value["status"] == "pending":
        yield line(Span(f"{value['agent_id']} starts nothing until it is approved.", Tone.ALERT))
    yield from receipt_blocks(document)


def _mailbox(value: Mapping[str, Any]) -> Block:
    if not value["unread"]:
        return line(Span(f"Nothing waits in the mailbox of {value['owner']}.", Tone.QUIET))
    waits = f"{value['unread']} unread in the mailbox of {value['owner']}"
    return line(Span(f"{waits}, the oldest for {seconds_word(value['oldest_unread_seconds'])}.", Tone.ALERT))


def _row(value: Mapping[str, Any]) -> list[str | Span]:
    waits = value["unread_seconds"]
    return [
        Span(value["message_id"], Tone.STRONG),
        value["kind"],
        value["sender"],
        value["recipient"],
        Span(seconds_word(waits), Tone.ALERT) if waits is not None else Span("read", Tone.QUIET),
        value["todo_id"] or value["request_id"] or "",
        value["text"],
    ]
