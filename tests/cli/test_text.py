"""The text of every answer: readable when piped, in colour on a terminal, never bent by what it shows."""

from __future__ import annotations

import io
from typing import Any

import pytest

from loopx.core.instant import HOUR
from loopx.render import RENDERERS, renderer_of
from loopx.render.block import Block, Span, Tone, line, table
from loopx.render.plain import plain_text
from loopx.render.terminal import painted_text
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock

D1 = "direction:action:way"


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok(
        "init", "--goal-id", "lab", "--objective", "Find out", "--acceptance", "It is known",
        "--agent", "ann", "--agent", "bob",
    )  # fmt: skip
    return inside


def add(lab: Loopx, text: str, *more: str) -> str:
    return str(lab.ok("todo", "add", "--text", text, *more)["todo"]["todo_id"])


def gate(lab: Loopx, *more: str) -> str:
    argv = ("--role", "user", "--task-class", "user_gate", "--decision-scope", D1, "--blocks-agent", "ann")
    return add(lab, "Which way?", *argv, *more)


def text(lab: Loopx, *argv: str) -> str:
    """What a pipe gets to read."""
    document = lab.ok(*argv)
    return plain_text(renderer_of(document["schema_version"])(document))


def test_a_command_prints_text_when_piped(loopx: Loopx) -> None:
    answer = loopx.text("init", "--goal-id", "lab", "--objective", "Find out")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.endswith("Next: loopx status\n")
    assert "\x1b" not in loopx.text("status").out


def test_warnings_and_errors_go_to_standard_error(loopx: Loopx) -> None:
    loopx.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann")
    kept = loopx.text("todo", "add", "--text", "a\\nb")
    assert "warning: " in kept.err
    assert "warning" not in kept.out
    refused = loopx.text("todo", "show", "todo_zzz")
    assert (refused.code, refused.out) == (7, "")
    assert "[todo_not_found]" in refused.err


def test_a_list_is_aligned_under_wide_characters(lab: Loopx) -> None:
    add(lab, "[P0] 日本語", "--claimed-by", "ann")
    add(lab, "plain")
    assert text(lab, "todo", "list").split("\n") == [
        "TODO             PRI  STATUS  CLASS  HOLDER  TEXT",
        "todo_0000000001  P0   open    task   ann     [P0] 日本語",
        "todo_0000000002  P2   open    task           plain",
        "2 todos",
    ]


def test_an_escape_sequence_in_a_text_is_shown_and_not_sent(lab: Loopx) -> None:
    todo = add(lab, "red \x1b[31m alert\nsecond line")
    for argv in (("todo", "list"), ("todo", "show", todo), ("todo", "graph"), ("status",), ("log",)):
        assert "\x1b" not in text(lab, *argv), argv
    assert "red ␛[31m alert⏎second line" in text(lab, "todo", "list")
    first, second = text(lab, "todo", "show", todo).split("\n")[1:3]
    assert first.endswith("  red ␛[31m alert")
    assert second.index("second line") == first.index("red")


def test_gated_work_is_marked_with_who_must_act(lab: Loopx) -> None:
    todo = add(lab, "Work", "--required-decision-scope", D1)
    assert "GATED no gate asks yet; an agent must add one" in text(lab, "todo", "list")
    question = gate(lab)
    for argv in (("todo", "list"), ("todo", "show", todo)):
        assert f"GATED user must answer {question}" in text(lab, *argv)
    lab.ok("gate", "answer", question, "--decision", "reject")
    assert f"GATED rejected by {question}; an agent must" in text(lab, "todo", "list")
    second = gate(lab)
    lab.ok("gate", "answer", second, "--decision", "approve")
    assert "GATED" not in text(lab, "todo", "list")


def test_a_global_gate_marks_all_work_and_an_agents_gate_only_what_it_names(lab: Loopx) -> None:
    named, other = add(lab, "Named"), add(lab, "Other")
    gate(lab, "--unblocks-todo-id", named)
    marked = {todo["todo_id"] for todo in lab.ok("todo", "list")["todos"] if "marks" in todo}
    assert marked <= {named}
    argv = ("--role", "user", "--task-class", "user_gate", "--decision-scope", "direction:goal:all", "--global-gate")
    everything = add(lab, "Stop all?", *argv)
    marks = {todo["todo_id"]: todo["marks"][0]["by"] for todo in lab.ok("todo", "list")["todos"] if "marks" in todo}
    assert marks == {named: everything, other: everything}


def test_leased_and_stale_work_is_marked(lab: Loopx, clock: FakeClock) -> None:
    todo = add(lab, "Work")
    lab.ok("todo", "claim", todo, "--claimed-by", "ann", "--ttl", "1h")
    lease = lab.ok("task-lease", "acquire", "--todo-id", todo, "--agent-id", "ann", "--ttl", "15m")["lease"]
    assert f"LEASED ann until {lease['expires_at']}" in text(lab, "todo", "list")
    assert "LEASED" in text(lab, "status")
    clock.advance(HOUR)
    assert "STALE claim of ann; any peer may take it" in text(lab, "todo", "list")
    assert "STALE" in text(lab, "status")


def test_closed_work_carries_no_mark(lab: Loopx) -> None:
    todo = add(lab, "Work", "--required-decision-scope", D1)
    lab.ok("todo", "supersede", todo, "--reason", "new way", "--no-replacement")
    (seen,) = lab.ok("todo", "list")["todos"]
    assert "marks" not in seen


def test_the_decision_says_first_what_to_do(lab: Loopx) -> None:
    todo = add(lab, "[P0] Work", "--required-decision-scope", D1)
    question = gate(lab)
    waiting = text(lab, "quota", "should-run", "--agent-id", "ann")
    assert waiting.startswith("DO NOT RUN user_gate: ")
    assert f"{question}  Which way?  loopx gate answer {question}" in waiting
    lab.ok("gate", "answer", question, "--decision", "approve")
    assert text(lab, "quota", "should-run", "--agent-id", "ann").startswith(f"RUN bounded_delivery: deliver {todo}")


def test_why_shows_the_stage_that_says_no(lab: Loopx) -> None:
    todo = add(lab, "Work", "--required-capability", "shell")
    told = text(lab, "todo", "why", todo, "--agent-id", "ann")
    assert told.startswith(f"{todo} is not runnable")
    (failed,) = [row for row in told.split("\n") if "  NO  " in row]
    assert failed.split()[:3] == ["capability", "NO", "capability_missing"]


def test_the_inbox_says_how_to_answer(lab: Loopx) -> None:
    assert text(lab, "inbox").startswith("Nothing waits for you.")
    question = gate(lab)
    assert f"answer  loopx gate answer {question}" in text(lab, "inbox")


def test_a_dry_run_and_a_replay_say_so(lab: Loopx) -> None:
    argv = ("todo", "add", "--text", "Work", "--operation-id", "op-1")
    assert "Dry run: nothing was written." in text(lab, *argv, "--dry-run")
    assert "earlier call" not in text(lab, *argv)
    assert "The answer of an earlier call" in text(lab, *argv)


def test_closing_verbs_name_what_follows(lab: Loopx) -> None:
    first = add(lab, "Work")
    waits = add(lab, "Waits", "--blocked-by", first)
    done = text(
        lab, "todo", "complete", first, "--claimed-by", "ann", "--evidence", "seen", "--next-agent-todo", "Review"
    )
    assert f"unblocked  {waits}" in done
    replaced = text(lab, "todo", "supersede", waits, "--reason", "new way", "--next-agent-todo", "Other")
    assert "superseded" in replaced
    assert "replaced by" in replaced


def test_the_log_says_why(lab: Loopx) -> None:
    lab.ok("goal", "pause", "--reason", "budget review")
    assert "budget review" in text(lab, "log")


def test_every_answer_has_a_text(lab: Loopx) -> None:
    """No renderer trips over the documents of its commands."""
    todo = add(lab, "Work", "--required-capability", "shell", "--acceptance", "It runs")
    calls: list[tuple[str, ...]] = [
        ("where",),
        ("status",),
        ("inbox",),
        ("log",),
        ("goal", "list"),
        ("goal", "show"),
        ("goal", "pause"),
        ("goal", "resume"),
        ("agent", "list"),
        ("agent", "register", "--agent-id", "cy", "--capability", "shell"),
        ("agent", "retire", "--agent-id", "cy"),
        ("authority", "grant", "--agent-id", "ann", "--action", "complete"),
        ("authority", "list"),
        ("authority", "revoke", "--agent-id", "ann"),
        ("gate", "list"),
        ("todo", "show", todo),
        ("todo", "update", todo, "--priority", "P1", "--full"),
        ("todo", "graph"),
        ("todo", "graph", "--as", "json"),
        ("quota", "should-run", "--agent-id", "ann", "--available-capability", "shell"),
        ("quota", "should-run", "--agent-id", "bob", "--explain"),
        ("quota", "status"),
        ("todo", "why", todo, "--agent-id", "bob"),
        ("todo", "claim-next", "--agent-id", "ann", "--available-capability", "shell"),
        ("todo", "claim-next", "--agent-id", "bob"),
        ("task-lease", "list"),
        ("task-lease", "show", "--todo-id", todo),
        ("schema", "list"),
        ("schema", "show", "todo_v1"),
        ("completion", "bash"),
    ]
    for argv in calls:
        assert text(lab, *argv).strip(), argv


def test_a_document_without_a_renderer_is_still_readable() -> None:
    document: dict[str, Any] = {
        "schema_version": "unheard_of_v1",
        "ok": True,
        "name": "x",
        "flags": [True, None],
        "rows": [{"a": 1, "b": "two"}, {"a": 3}],
        "part": {"inner": {"deep": 1}, "n": 2.5},
        "warnings": [],
    }
    assert "unheard_of_v1" not in RENDERERS
    assert plain_text(renderer_of("unheard_of_v1")(document)).split("\n") == [
        "name   x",
        "flags  yes",
        "",
        "rows",
        "A  B",
        "1  two",
        "3",
        "",
        "part",
        "n  2.5",
        "",
        "part.inner",
        "deep  1",
    ]


def test_a_terminal_gets_colour_and_the_same_words() -> None:
    from rich.console import Console

    blocks: list[Block] = [line("see ", Span("GATED [red]", Tone.ALERT)), table(("a", "b"), [("日本", "[bold]x")])]
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=60)
    painted = painted_text(blocks, console)
    assert "\x1b[1;33mGATED [red]\x1b[0m" in painted
    assert "[bold]x" in painted, "a text is no markup"
