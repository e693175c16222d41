"""Leases, and work that was claimed with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, facts, line, table
from loopx.render.fallback import shown
from loopx.render.receipt import event_words, foot, receipt_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]


def lease(document: Document) -> Iterator[Block]:
    """`task-lease`: one lease, or the live ones."""
    if "leases" in document:
        yield from _many(document)
        return
    value = document["lease"]
    if "receipt" in document:
        yield line(event_words(document) + ": ", Span(value["lease_id"], Tone.STRONG))
    yield facts(_told(value))
    yield from receipt_blocks(document)


def claim(document: Document) -> Iterator[Block]:
    """`todo claim-next`: the task with its token, or why there is none."""
    value = document["claim"]
    if value is None:
        yield line(Span("Nothing to claim: ", Tone.ALERT), document["reason"] or "")
        columns = ("todo", "why", "missing", "next")
        yield table(columns, (_skipped(row) for row in document["skipped"]))
        return
    task = value["task"]
    yield line("claimed: ", Span(task["id"], Tone.STRONG))
    yield facts(
        [
            ("task", task["subject"]),
            ("", task["description"]),
            ("token", value["claim_token"]),
            ("until", value["lease_expires_at_utc"]),
        ]
    )
    yield from receipt_blocks(document)


def _many(document: Document) -> Iterator[Block]:
    leases = document["leases"]
    if leases:
        columns = ("lease", "holder", "todo", "until", "version", "scopes", "pool")
        yield table(columns, (_row(value) for value in leases))
    yield foot(document, len(leases), "lease")


def _row(value: Mapping[str, Any]) -> list[str | Span]:
    return [
        Span(value["lease_id"], Tone.STRONG),
        value["holder"],
        value["todo_id"],
        value["expires_at"],
        str(value["version"]),
        shown(value["write_scopes"]),
        value["pool"] or "",
    ]


def _told(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "lease", f"{value['lease_id']}, version {value['version']}"
    yield "on", value["todo_id"]
    yield ("was held by" if value["released"] else "LEASED to"), value["holder"]
    yield ("ended" if value["released"] else "until"), value["expires_at"]
    yield "token", value.get("claim_token") or ""
    yield "scopes", shown(value["write_scopes"])
    yield "repository", value["task_repository"] or ""
    yield "pool", value["pool"] or ""


def _skipped(row: Mapping[str, Any]) -> list[str]:
    return [row["todo_id"], row["reason_code"], shown(row.get("missing")), row.get("next_command") or ""]
