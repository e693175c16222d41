"""`loopx todo complete`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.successors import Following
from loopx.app.todo_complete import Completion, complete_todo
from loopx.cli.context import working_directory
from loopx.cli.declare import TEXT, ChoiceType, flag, option
from loopx.cli.verb import held_work_options, todo_id_option, verb
from loopx.core.todo import ContinuationPolicy

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "complete",
    mutates=True,
    example="loopx todo complete todo_0123456789 --claimed-by agent-a --evidence 'tests pass' --no-follow-up",
)
@held_work_options
@todo_id_option
@option("--claimed-by", metavar="ID", help="The agent that did it; otherwise the actor.")
@option("--evidence", type=TEXT, help="What shows the result; `-` reads standard input.")
@option("--outcome", type=ChoiceType(("succeeded", "failed")), default="succeeded", help="How it ended.")
@option("--meets", multiple=True, metavar="A1", help="An acceptance criterion of the goal that this meets.")
@option("--next-agent-todo", multiple=True, type=TEXT, help="A new todo that follows.")
@option("--next-user-todo", multiple=True, type=TEXT, help="A new action for a person that follows.")
@option("--successor-todo-id", multiple=True, metavar="ID", help="An existing todo that follows.")
@flag("--no-follow-up", help="Nothing follows; say why with --reason.")
@option("--next-continuation-policy", type=ChoiceType(ContinuationPolicy), help="Who goes on.")
@option("--next-claimed-by", metavar="ID", help="The agent that shall have the new todo.")
@option("--workspace", metavar="PATH", help="Where its validation command runs; otherwise the current folder.")
def cli(invocation: Invocation, todo_id: str, **options: Any) -> Document:
    """Close a todo with its evidence, and say what follows or that nothing does."""
    call = invocation.call("todo_completed", actor=invocation.actor(options["claimed_by"]))
    completion = Completion(
        evidence=options["evidence"],
        failed=options["outcome"] == "failed",
        meets=options["meets"],
        following=Following(
            agent_todos=options["next_agent_todo"],
            user_todos=options["next_user_todo"],
            successor_ids=options["successor_todo_id"],
            no_followup=options["no_follow_up"],
            policy=options["next_continuation_policy"],
            claimed_by=options["next_claimed_by"],
        ),
        folder=options["workspace"] or working_directory(),
    )
    return complete_todo(invocation.project(), call, todo_id, completion)
