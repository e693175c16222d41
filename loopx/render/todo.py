"""Todos: one with all that is known of it, lists with a line each, and what a verb did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, facts, line, table, title
from loopx.render.fallback import shown
from loopx.render.receipt import event_words, foot, receipt_blocks
from loopx.render.words import class_word, holder_word, mark_span, state_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Todo = Mapping[str, Any]
    Document = Mapping[str, Any]

_LISTED = ("todo", "pri", "status", "class", "holder", "mark", "text")
# Shown by their own lines, not among the rest of the fields.
_TOLD = frozenset(
    (
        "todo_id", "goal_id", "sequence", "text", "text_truncated", "role", "status", "closure", "task_class",
        "priority", "claimed_by", "claim_expires_at", "claim_stale", "lease", "decision", "marks", "version",
    )
)  # fmt: skip
_DEFAULTS = {"continuation_policy": "independent_handoff"}


def one(document: Document) -> Iterator[Block]:
    """`todo show` and every verb on one todo."""
    todo = document["todo"]
    if "receipt" in document:
        yield line(event_words(document) + ": ", Span(todo["todo_id"], Tone.STRONG))
    yield from _whole(todo) if "role" in todo else _brief(todo)
    yield from _chains(document.get("lineage"))
    yield from _origin(document.get("origin"))
    yield from receipt_blocks(document)


def _chains(lineage: Mapping[str, Any] | None) -> Iterator[Block]:
    """Where it comes from beyond its predecessor, and what stands in for what."""
    if lineage is None:
        return
    more = ", …" if lineage["ancestors_truncated"] else ""
    yield facts(
        [
            ("came out of", ", ".join(lineage["ancestors"]) + more),
            ("stands in for", shown(lineage["supersedes"])),
            ("stood in for by", shown(lineage["replaced_by"])),
        ]
    )


def _origin(origin: Mapping[str, Any] | None) -> Iterator[Block]:
    """Where an imported todo came from; fields of its own source are in JSON only."""
    if origin is None:
        return
    kept = origin["kept"]
    links = (f"{link['kind']} {link['target']}" for link in kept.get("links", ()))
    yield facts(
        [
            ("imported as", ", ".join(f"{row['source']} {row['source_id']}" for row in origin["sources"])),
            ("labels", ", ".join(kept.get("labels", ()))),
            ("part of", kept.get("parent", "")),
            ("links", ", ".join(links)),
            ("assignee there", kept.get("assignee", "")),
        ]
    )


def many(document: Document) -> Iterator[Block]:
    """`todo list` and `gate list`."""
    yield from todo_rows(document["todos"])
    yield foot(document, len(document["todos"]), "todo")


def archived(document: Document) -> Iterator[Block]:
    """`todo archive`."""
    yield line(Span(f"{document['archived']} archived", Tone.GOOD), ", ", f"{document['remaining']} more may go")
    yield facts([("archived", _ids(document, "todo_ids")), ("kept", shown(document["kept"]))])
    yield from receipt_blocks(document)


def todo_rows(todos: Sequence[Todo]) -> Iterator[Block]:
    """A line a todo, or nothing."""
    if todos:
        yield table(_LISTED, (_row(todo) for todo in todos))


def inbox(document: Document) -> Iterator[Block]:
    """What a person has to do: questions with the command that answers them."""
    if not document["todos"]:
        yield line("Nothing waits for you.")
    for todo in document["todos"]:
        is_gate = todo["task_class"] == "user_gate"
        asked = Span("DECIDE " if is_gate else "DO ", Tone.ALERT)
        yield line(asked, Span(todo["todo_id"], Tone.STRONG), f" {todo['priority']}")
        yield facts(_asked(todo))
        yield Gap()
    yield from _hand_made(document["hand_made_grants"])
    if document["todos"]:
        yield foot(document, len(document["todos"]), "todo")


def completed(document: Document) -> Iterator[Block]:
    """`todo complete`."""
    yield from _closed(document, (("follows", "successors"), ("unblocked", "unblocked")))


def superseded(document: Document) -> Iterator[Block]:
    """`todo supersede`."""
    yield from _closed(document, (("replaced by", "successors"), ("now wait for it", "moved_dependents")))


def _closed(document: Document, lists: tuple[tuple[str, str], ...]) -> Iterator[Block]:
    todo = document["todo"]
    yield line(event_words(document) + ": ", Span(todo["todo_id"], Tone.STRONG), " ", state_span(todo))
    yield facts([("text", todo["text"]), *((name, _ids(document, key)) for name, key in lists)])
    yield from receipt_blocks(document)


def _ids(document: Document, key: str) -> str:
    ids = document[key]
    more = document[f"{key}_total"] - len(ids)
    return ", ".join(ids) + (f" and {more} more" if more else "")


def _row(todo: Todo) -> list[str | Span]:
    return [
        Span(todo["todo_id"], Tone.STRONG),
        todo["priority"],
        state_span(todo),
        class_word(todo["task_class"]),
        holder_word(todo),
        mark_span(todo),
        todo["text"],
    ]


def _brief(todo: Todo) -> Iterator[Block]:
    yield facts(
        [
            ("text", todo["text"]),
            ("state", _state_line(todo)),
            ("held by", holder_word(todo)),
            ("mark", mark_span(todo)),
        ]
    )


def _whole(todo: Todo) -> Iterator[Block]:
    yield title(f"{todo['todo_id']} {_state_line(todo)}")
    yield facts(
        [
            ("text", todo["text"]),
            ("mark", mark_span(todo)),
            ("held by", _holding(todo)),
            ("decision", _decision(todo["decision"])),
            *_rest(todo),
        ]
    )


def _state_line(todo: Todo) -> str:
    return f"{todo['priority']} {state_span(todo).text} {class_word(todo['task_class'])} of {todo['goal_id']}"


def _holding(todo: Todo) -> str:
    lease = todo["lease"]
    if lease is not None:
        name = f"{lease['lease_id']}, version {lease['version']}"
        return f"{lease['holder']}, leased until {lease['expires_at']} ({name})"
    if todo["claimed_by"] is None:
        return ""
    if todo["claim_expires_at"] is None:
        return f"{todo['claimed_by']}, who did it"
    since = "stale since" if todo["claim_stale"] else "claimed until"
    return f"{todo['claimed_by']}, {since} {todo['claim_expires_at']}"


def _decision(decision: Mapping[str, Any] | None) -> Span:
    if decision is None:
        return Span("")
    ended = f", revoked at {decision['revoked_at']}" if decision["revoked_at"] else ""
    standing = ", standing" if decision["standing"] else ""
    note = f": {decision['note']}" if decision["note"] else ""
    said = f"{decision['verdict']} by {decision['decided_by']} at {decision['decided_at']}"
    text = f"{said}{standing}{ended}{note}"
    return Span(text, Tone.GOOD if decision["verdict"] == "approve" else Tone.BAD)


def _rest(todo: Todo) -> Iterator[tuple[str, str]]:
    """Every other field that says something: empty, zero and default values are left out."""
    for name, value in todo.items():
        if name not in _TOLD and value not in (None, [], 0, "", False) and _DEFAULTS.get(name) != value:
            yield name.replace("_", " "), shown(value)


def _asked(todo: Todo) -> Iterator[tuple[str, str | Span]]:
    yield "text", todo["text"]
    if todo["task_class"] == "user_gate":
        yield "scope", todo["decision_scope"] or ""
        yield "holds", "everybody" if todo["global_gate"] else todo["blocks_agent"] or ""
        yield "frees", todo["unblocks_todo_id"] or ""
        yield "answer", f"loopx gate answer {todo['todo_id']}"


def _hand_made(grants: list[Mapping[str, Any]]) -> Iterator[Block]:
    if not grants:
        return
    yield line(Span("GRANTS that were written into the registry by hand", Tone.ALERT))
    columns = ("goal", "agent", "actions", "requires reason")
    rows = ([g["goal_id"], g["agent_id"], shown(g["actions"]), shown(g["requires_reason"])] for g in grants)
    yield table(columns, rows)
    yield Gap()
