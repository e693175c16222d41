"""`loopx todo …`: one module a verb, imported when it is called."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "add": ("loopx.cli.todo.add", "Add a todo, a gate, a monitor or a blocker."),
    "list": ("loopx.cli.todo.list", "Todos in creation order."),
    "show": ("loopx.cli.todo.show", "One todo, whole."),
    "why": ("loopx.cli.todo.why", "Every stage that a todo passes or fails for an agent."),
    "update": ("loopx.cli.todo.update", "Change fields, or settle what follows a done todo."),
    "claim": ("loopx.cli.todo.claim", "Say that an agent is on it."),
    "claim-next": ("loopx.cli.todo.claim_next", "Claim and lease the first ready todo."),
    "release": ("loopx.cli.todo.release", "Give a claim up."),
    "reassign": ("loopx.cli.todo.reassign", "Give a claim to another agent."),
    "complete": ("loopx.cli.todo.complete", "Close it with evidence and what follows."),
    "supersede": ("loopx.cli.todo.supersede", "Replace it because the direction changed."),
    "defer": ("loopx.cli.todo.defer", "Let it sleep until a condition holds."),
    "block": ("loopx.cli.todo.block", "Hold it by a reason or by other todos."),
    "reopen": ("loopx.cli.todo.reopen", "Open a blocked or deferred one."),
    "archive": ("loopx.cli.todo.archive", "Move closed work out of the way."),
    "graph": ("loopx.cli.todo.graph", "The graph as text, Mermaid, DOT, SVG or JSON."),
    "stats": ("loopx.cli.todo.stats", "Counts, flow, waiting, age and spend."),
}

cli = family(
    "todo",
    "The work graph.",
    MEMBERS,
    example="loopx todo add --goal-id ship --role agent --text '[P1] Parse it'",
)
