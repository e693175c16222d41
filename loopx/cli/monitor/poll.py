"""`loopx monitor poll`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.monitor import Poll, poll_monitor
from loopx.app.successors import Following
from loopx.cli.declare import TEXT, ChoiceType, option
from loopx.cli.verb import held_work_options, todo_id_option, verb
from loopx.core.todo import ContinuationPolicy

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "poll",
    mutates=True,
    example="loopx monitor poll todo_0123456789 --agent-id agent-a --result changed --evidence 'CI failed'"
    " --next-agent-todo '[P1] Mend the build'",
)
@held_work_options
@todo_id_option
@option("--result", type=ChoiceType(("no_change", "changed")), required=True, help="What the look found.")
@option("--evidence", type=TEXT, help="What was looked at; `-` reads standard input.")
@option("--next-due-at", metavar="TIME", help="When to look next; otherwise after its interval.")
@option("--next-agent-todo", multiple=True, type=TEXT, help="New work that the change asks for.")
@option("--next-user-todo", multiple=True, type=TEXT, help="A new action for a person.")
@option("--successor-todo-id", multiple=True, metavar="ID", help="Existing work that the change wakes.")
@option("--next-continuation-policy", type=ChoiceType(ContinuationPolicy), help="Who goes on.")
@option("--next-claimed-by", metavar="ID", help="The agent that shall have the new todo.")
def cli(invocation: Invocation, todo_id: str, **options: Any) -> Document:
    """Record one poll. Without a change it may not be early; with one it may come at any time."""
    poll = Poll(
        changed=options["result"] == "changed",
        evidence=options["evidence"],
        next_due_at=options["next_due_at"],
        following=Following(
            agent_todos=options["next_agent_todo"],
            user_todos=options["next_user_todo"],
            successor_ids=options["successor_todo_id"],
            policy=options["next_continuation_policy"],
            claimed_by=options["next_claimed_by"],
        ),
    )
    return poll_monitor(invocation.project(), invocation.call("monitor_polled"), todo_id, poll)
