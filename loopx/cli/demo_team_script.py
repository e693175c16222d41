"""What `demo --team` plays: a lead makes A, B and C, two workers find and finish them, and all end by handshake."""

from __future__ import annotations

from loopx.cli.demo_script import Step
from loopx.core.command import quoted

# The lead: A and B at once, C after both. Its prompt comes on standard input; a model would read it.
_LEAD = """\
cat > /dev/null
add() { loopx --format json todo add --goal-id lab "$@" | sed 's/.*"todo_id":"\\([a-z0-9_]*\\)".*/\\1/'; }
a=$(add --text 'A: draw the map')
b=$(add --text 'B: count the trees')
add --text 'C: write the report' --blocked-by "$a" --blocked-by "$b" > /dev/null
echo "A, B and C are on the board; C waits for both."
"""
# A worker: it does the work that it was given, and says with the token that it is done.
_WORKER = """\
sleep 0.3
loopx todo complete --goal-id "$LOOPX_GOAL_ID" --todo-id "$LOOPX_TODO_ID" --claim-token "$LOOPX_CLAIM_TOKEN" \
--evidence "done by $LOOPX_AGENT_ID" --no-follow-up --reason 'nothing comes after it' > /dev/null
echo "$LOOPX_AGENT_ID finished $LOOPX_TODO_ID"
"""

TEAM_SCRIPT = (
    Step(
        "A project with a goal and three agents. One of them will lead; that is a part to play, not a rank.",
        ("init", "--goal-id", "lab", "--objective", "Know the forest", "--agent", "lead", "--agent", "alice",
         "--agent", "bob"),
    ),
    Step(
        "The lead cuts the work into A, B, and C after both. Nobody is told what to do: alice and bob look at the"
        " board, and exactly one of them gets each todo. When nothing is left the lead asks both to end, and both"
        " agree.",
        ("team", "run", "--goal-id", "lab", "--agent-id", "lead", "--prompt", "Have the forest surveyed",
         "--lead-exec", f"sh -c {quoted(_LEAD)}",
         "--teammate", "alice", "--teammate", "bob", "--recipe", "shell", "--exec", _WORKER,
         "--poll-interval", "200ms", "--idle-polls", "5"),
        shows=("lead.text", "ended_by", "shut_down"),
    ),
    Step(
        "All three are done. Each was finished with the token of its lease; saying so would not have been enough.",
        ("todo", "list", "--goal-id", "lab", "--full"),
        shows=("todos.0.claimed_by", "todos.1.claimed_by", "todos.2.claimed_by", "todos.2.status"),
    ),
    Step(
        "The last words of every run are in the lead's mailbox, until it says that it has read them.",
        ("message", "inbox", "--agent-id", "lead"),
        shows=("total", "messages.0.text"),
    ),
    Step(
        "Who works, who has ended and why.",
        ("team", "status", "--goal-id", "lab"),
        shows=("agents.0.ended_by", "agents.1.ended_by", "agents.2.ended_by"),
    ),
    Step(
        "And every step is in the history.",
        ("log", "--action", "todo_claimed_next"),
        shows=("total",),
    ),
)  # fmt: skip
