"""What the demo plays: the worked example of the work graph, one command a step."""

from __future__ import annotations

from loopx.core.value import Value


class Step(Value):
    """One command: what a newcomer should know before it, and what to look at in its answer.

    `{name}` in `argv` is an id that an earlier step kept: `keeps` says under which name and where in
    the answer it stands. `shows` are the places in the answer that tell the story.
    """

    story: str
    argv: tuple[str, ...]
    keeps: tuple[tuple[str, str], ...] = ()
    shows: tuple[str, ...] = ()


_DECISION = "direction:action:public_api_change"
_MODE = "interaction_contract.mode"
_SELECTED = "selected_todo.text"
_QUESTION = "interaction_contract.user_channel.todos"
_WHY = "reason"

SCRIPT = (
    Step(
        "A project holds the shared state. Two agents work on one goal as equal peers: no leader.",
        ("init", "--goal-id", "lab", "--objective", "A public API that can change safely",
         "--agent", "agent-a", "--agent", "agent-b"),
    ),
    Step(
        "The most urgent work changes the public API, and a person has to allow that first. It says so itself.",
        ("todo", "add", "--goal-id", "lab", "--role", "agent", "--text", "[P0] Change the public API",
         "--action-kind", "change_public_api", "--required-decision-scope", _DECISION),
        keeps=(("p0", "todo.todo_id"),),
        shows=("todo.priority", "todo.status"),
    ),
    Step(
        "agent-a says that it is on it. A claim is soft: it tells the peers, it starts nothing.",
        ("todo", "claim", "--goal-id", "lab", "--todo-id", "{p0}", "--claimed-by", "agent-a"),
        shows=("todo.claimed_by",),
    ),
    Step(
        "The question becomes a gate. It holds agent-a on exactly this decision, and nobody on anything else.",
        ("todo", "add", "--goal-id", "lab", "--role", "user", "--task-class", "user_gate",
         "--text", "May the public API change?", "--decision-scope", _DECISION,
         "--blocks-agent", "agent-a", "--unblocks-todo-id", "{p0}"),
        keeps=(("gate", "todo.todo_id"),),
        shows=("receipt.next_command",),
    ),
    Step(
        "An independent P1 needs no decision, only a shell.",
        ("todo", "add", "--goal-id", "lab", "--role", "agent", "--text", "[P1] Add a characterization smoke",
         "--required-capability", "shell"),
        keeps=(("p1", "todo.todo_id"),),
    ),
    Step(
        "Waiting for the outside is a monitor, not work. This one is due tomorrow and wakes nobody before.",
        ("todo", "add", "--goal-id", "lab", "--role", "agent", "--task-class", "continuous_monitor",
         "--text", "Watch the external pull request", "--poll-every", "1h", "--next-due-at", "in:24h"),
        keeps=(("monitor", "todo.todo_id"),),
    ),
    Step(
        "What should agent-a do now? Both at once: the person is asked, and the P1 is delivered meanwhile."
        " A blocked P0 stops no independent P1.",
        ("quota", "should-run", "--goal-id", "lab", "--agent-id", "agent-a", "--available-capability", "shell"),
        shows=(_MODE, _WHY, _SELECTED, _QUESTION, "safe_bypass_allowed", "bypass_boundary"),
    ),
    Step(
        "And agent-b? The same P1. The P0 is its peer's, and the monitor stays silent.",
        ("quota", "should-run", "--goal-id", "lab", "--agent-id", "agent-b", "--available-capability", "shell"),
        shows=(_MODE, _WHY, _SELECTED, "frontier"),
    ),
    Step(
        "agent-b takes it.",
        ("todo", "claim", "--goal-id", "lab", "--todo-id", "{p1}", "--claimed-by", "agent-b"),
        shows=("todo.claimed_by", "receipt.next_command"),
    ),
    Step(
        "Done means evidence, and what follows. Here a review follows, which any peer may take.",
        ("todo", "complete", "--goal-id", "lab", "--todo-id", "{p1}", "--claimed-by", "agent-b",
         "--evidence", "the smoke passes on the main branch",
         "--next-agent-todo", "[P1] Review the smoke", "--next-continuation-policy", "independent_handoff"),
        keeps=(("review", "successors.0"),),
        shows=("closure", "successors"),
    ),
    Step(
        "The person answers the gate. The answer is kept with its note, and it frees exactly what it covers.",
        ("gate", "answer", "{gate}", "--decision", "approve", "--note", "yes, behind a version bump"),
        shows=("todo.status",),
    ),
    Step(
        "Now the P0 is what agent-a should do.",
        ("quota", "should-run", "--goal-id", "lab", "--agent-id", "agent-a", "--available-capability", "shell"),
        shows=(_MODE, _WHY, _SELECTED),
    ),
    Step(
        "agent-a finishes it. Nothing follows, and it says why.",
        ("todo", "complete", "--goal-id", "lab", "--todo-id", "{p0}", "--claimed-by", "agent-a",
         "--evidence", "version 2 is published", "--no-follow-up", "--reason", "the API is the one that was agreed"),
        shows=("closure",),
    ),
    Step(
        "agent-a reviews what agent-b made.",
        ("todo", "complete", "--goal-id", "lab", "--todo-id", "{review}", "--claimed-by", "agent-a",
         "--evidence", "read, and run twice", "--no-follow-up", "--reason", "nothing to add"),
        shows=("closure",),
    ),
    Step(
        "The goal is not finished: a monitor still waits. Waiting is never taken for the end.",
        ("quota", "should-run", "--goal-id", "lab", "--agent-id", "agent-a"),
        shows=(_MODE, _WHY, "scheduler_hint"),
    ),
    Step(
        "The pull request was merged; the monitor has served its purpose.",
        ("todo", "complete", "--goal-id", "lab", "--todo-id", "{monitor}", "--claimed-by", "agent-b",
         "--evidence", "the pull request was merged", "--no-follow-up", "--reason", "nothing left to watch"),
        shows=("closure",),
    ),
    Step(
        "Nothing is open, and every end is accounted for. That nothing is left is derived, never declared.",
        ("quota", "should-run", "--goal-id", "lab", "--agent-id", "agent-b"),
        shows=(_MODE, _WHY),
    ),
    Step(
        "The history has every step, with who and why.",
        ("log", "--limit", "3"),
        shows=("total",),
    ),
)  # fmt: skip
