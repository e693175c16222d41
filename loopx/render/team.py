"""Workers and teams: what they did, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, facts, line, table
from loopx.render.receipt import foot
from loopx.render.words import seconds_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]

_OUTCOMES = {"completed": Tone.GOOD, "not_completed": Tone.ALERT, "released": Tone.QUIET}
_STATES = {"working": Tone.GOOD, "idle": Tone.PLAIN, "gone": Tone.BAD}
_PLANS = {"pending": Tone.ALERT, "rejected": Tone.BAD}


def worker(document: Document) -> Iterator[Block]:
    """`worker run`: each todo that it took, and why it ended."""
    if document["tasks"]:
        columns = ("todo", "outcome", "how", "time", "log")
        yield table(columns, (_task(row) for row in document["tasks"]))
    told = document["worker"]
    yield line(
        Span(told["agent_id"], Tone.STRONG),
        f" ended ({document['ended_by']}): {document['completed']} of {document['tasks_total']} completed",
    )
    if document["worktree"] is not None:
        yield line(*_worktree(document["worktree"]))


def team(document: Document) -> Iterator[Block]:
    """`team run`: the lead's last words, then each worker."""
    lead = document["lead"]
    if lead is not None:
        tone = Tone.GOOD if lead["succeeded"] else Tone.BAD
        yield line(Span(f"{lead['agent_id']} led: ", Tone.STRONG), Span(lead["summary"], tone))
        if lead["text"]:
            yield facts([("it said", lead["text"])])
    for told in document["workers"]:
        yield Gap()
        if "error" in told:
            yield line(Span(f"{told['agent_id']} failed: {told['error']['message']}", Tone.BAD))
        else:
            yield from worker(told)
    yield Gap()
    by_handshake = f"; by handshake: {', '.join(document['shut_down'])}" if document["shut_down"] else ""
    yield line(f"The team ended ({document['ended_by']}){by_handshake}.")


def status(document: Document) -> Iterator[Block]:
    """`team status`."""
    columns = ("agent", "role", "worker", "runs", "on", "mail", "plan", "done", "ended")
    yield table(columns, (_agent(row) for row in document["agents"]))
    yield foot(document, len(document["agents"]), "agent")
    mailbox = document["user_mailbox"]
    if mailbox["unread"]:
        waits = seconds_word(mailbox["oldest_unread_seconds"])
        yield line(Span(f"{mailbox['unread']} unread for you, the oldest for {waits}.", Tone.ALERT))


def shutdown(document: Document) -> Iterator[Block]:
    """`team shutdown`."""
    if not document["requests"]:
        yield line(Span("No worker runs on this machine.", Tone.QUIET))
        return
    yield table(("agent", "answer"), (_request(row) for row in document["requests"]))


def _task(row: Mapping[str, Any]) -> list[str | Span]:
    return [
        Span(row["todo_id"], Tone.STRONG),
        Span(row["outcome"], _OUTCOMES.get(row["outcome"], Tone.BAD)),
        row["summary"],
        f"{row['seconds']:.1f}s",
        row["log"] or "",
    ]


def _worktree(told: Mapping[str, Any]) -> tuple[str | Span, ...]:
    if told["kept"] is None:
        return (Span(f"Its worktree held nothing that is not elsewhere, and is gone ({told['branch']}).", Tone.QUIET),)
    return (Span(f"Its worktree is kept on {told['branch']}: {told['kept']}.", Tone.ALERT),)


def _agent(row: Mapping[str, Any]) -> list[str | Span]:
    waits = f"{row['unread']} for {seconds_word(row['oldest_unread_seconds'])}" if row["unread"] else ""
    ending = f"{row['ended_by']} at {row['ended_at']}" if row["ended_at"] else ""
    done = f"{row['completed']} of {row['tasks']}" if row["tasks"] else ""
    return [
        Span(row["agent_id"], Tone.STRONG),
        row["role"] or "",
        Span(row["worker"] if row["worker"] != "none" else "", _STATES.get(row["worker"], Tone.QUIET)),
        row["runner"] or "",
        row["todo_id"] or "",
        Span(waits, Tone.ALERT),
        Span(row["plan"] or "", _PLANS.get(row["plan"], Tone.PLAIN)),
        done,
        ending,
    ]


def _request(row: Mapping[str, Any]) -> list[str | Span]:
    if row["accepted"]:
        answer = Span("accepted", Tone.GOOD)
    elif row["is_running"]:
        answer = Span("asked; it finishes what it is on first", Tone.ALERT)
    else:
        answer = Span("asked; no worker runs here", Tone.QUIET)
    return [Span(row["agent_id"], Tone.STRONG), answer]
