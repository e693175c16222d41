"""The decision for one agent, and the chain behind one todo: what to do first, then why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, facts, line, table, title
from loopx.render.fallback import shown
from loopx.render.receipt import foot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]


def packet(document: Document) -> Iterator[Block]:
    """`quota should-run`."""
    contract = document["interaction_contract"]
    runs = Span("RUN ", Tone.GOOD) if document["should_run"] else Span("DO NOT RUN ", Tone.ALERT)
    yield line(runs, Span(contract["mode"], Tone.STRONG), f": {contract['agent_channel']['primary_action']}")
    yield facts(
        [
            ("todo", _selected(document["selected_todo"])),
            ("why", document["reason"]),
            *(("next", command) for command in contract["cli_channel"]["next_cli_actions"]),
            ("wake", _wake(document["scheduler_hint"])),
            ("workspace", _workspace(document["agent_workspace_guard"])),
            ("missing", _missing(document["capability_gate"])),
            ("graph", _frontier(document["frontier"])),
        ]
    )
    yield from _asked(contract["user_channel"])
    yield from _repair(document["repair"])
    yield from _rows("Held back", contract["agent_channel"]["blocking"])
    if "explain" in document:
        drops = document["explain"]["drops"]
        yield from _rows("Every obstacle", drops)
        yield foot(document["explain"], len(drops), "obstacle")


def why(document: Document) -> Iterator[Block]:
    """`todo why`: every stage, passed or not."""
    verdict = Span("runnable", Tone.GOOD) if document["runnable"] else Span("not runnable", Tone.ALERT)
    yield line(Span(document["todo_id"], Tone.STRONG), " is ", verdict)
    columns = ("stage", "passed", "reason", "facts", "next")
    yield table(columns, (_stage(stage) for stage in document["stages"]))


def _stage(stage: Mapping[str, Any]) -> list[str | Span]:
    passed = Span("yes", Tone.QUIET) if stage["passed"] else Span("NO", Tone.ALERT)
    reason = stage["reason_code"] or ""
    return [stage["stage"], passed, reason, shown(stage["facts"]), stage["next_command"] or ""]


def _selected(todo: Mapping[str, Any] | None) -> str:
    return "" if todo is None else f"{todo['todo_id']} {todo['text']}"


def _wake(hint: Mapping[str, Any]) -> str:
    """When to ask again; nothing where there is work now."""
    if hint["cadence"] == "run_now":
        return ""
    when = f" {hint['next_wake_at']}" if hint["next_wake_at"] else ""
    return str(hint["cadence"]).replace("_", " ") + when


def _workspace(guard: Mapping[str, Any] | None) -> str:
    if guard is None:
        return ""
    return f"this is a {guard['current_workspace']}; the work needs an {guard['required_workspace']}"


def _missing(gate: Mapping[str, Any] | None) -> str:
    rows = gate["blocked_candidates"] if gate else ()
    return "; ".join(f"{shown(row['missing'])} ({row['missing_kind']}) for {row['todo_id']}" for row in rows)


def _frontier(frontier: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in frontier.items() if count)


def _asked(channel: Mapping[str, Any]) -> Iterator[Block]:
    """What the person must answer, or is free to do."""
    if not channel["todos"]:
        return
    yield Gap()
    must = channel["action_required"]
    yield title("A person must act" if must else "For a person")
    rows = (
        [Span(todo["todo_id"], Tone.ALERT if must else Tone.STRONG), todo["text"], todo.get("answer_command") or ""]
        for todo in channel["todos"]
    )
    yield table(("todo", "text", "answer"), rows)


def _repair(repair: Mapping[str, Any] | None) -> Iterator[Block]:
    if repair is None:
        return
    yield Gap()
    yield title(f"To be repaired ({repair['kind']})")
    yield table(("what", "todo"), ([row["reason_code"], _subject(row)] for row in repair["errors"]))
    yield facts(("mend", command) for command in repair["next_commands"])


def _subject(row: Mapping[str, Any]) -> str:
    return shown([row.get(key) for key in ("todo_id", "user_todo_id", "dependency_id")])


def _rows(heading: str, rows: list[Mapping[str, Any]]) -> Iterator[Block]:
    """A table of whatever keys the rows have."""
    if rows:
        yield Gap()
        yield title(heading)
        columns = list(dict.fromkeys(key for row in rows for key in row))
        names = [column.replace("_", " ") for column in columns]
        yield table(names, ([shown(row.get(column)) for column in columns] for row in rows))
