"""`loopx todo add`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.todo_add import add_todo
from loopx.app.todo_new import NewTodo
from loopx.cli.declare import ChoiceType, flag, option
from loopx.cli.todo.fields import field_options
from loopx.cli.typed import read_file
from loopx.cli.verb import verb
from loopx.core.errors import UsageError
from loopx.core.todo import ContinuationPolicy, Role, Status

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("add", mutates=True, example="loopx todo add --goal-id ship --role agent --text '[P1] Parse the corpus'")
@option("--role", type=ChoiceType(Role), default=Role.AGENT, help="Whose it is: agent (default) or user.")
@field_options
@flag("--global-gate", help="The gate holds everybody.")
@option("--status", type=ChoiceType(("open", "deferred", "blocked")), default="open", help="Its first status.")
@option("--resume-when", metavar="COND", help="What wakes a deferred todo, such as todo_done:ID or in:2h.")
@option("--claimed-by", metavar="ID", help="The agent that is on it from the start.")
def cli(invocation: Invocation, **fields: Any) -> Document:
    """Add a todo, a gate, an action for a person, a monitor or a blocker."""
    call = invocation.call("todo_added")
    return add_todo(invocation.project(), call, new_todo(invocation, fields))


def new_todo(invocation: Invocation, fields: dict[str, Any]) -> NewTodo:
    """The request that these options make."""
    return NewTodo(
        text=typed_text(fields["text"], fields["text_file"]) or "",
        role=Role(fields["role"]),
        task_class=fields["task_class"],
        action_kind=fields["action_kind"],
        priority=fields["priority"],
        status=Status(fields["status"]),
        blocked_by=fields["blocked_by"],
        required_capabilities=fields["required_capability"],
        target_capability=fields["target_capability"],
        task_repository=fields["task_repository"],
        required_write_scopes=fields["required_write_scope"],
        required_decision_scopes=fields["required_decision_scope"],
        decision_scope=fields["decision_scope"],
        blocks_agent=fields["blocks_agent"],
        global_gate=fields["global_gate"],
        unblocks_todo_id=fields["unblocks_todo_id"],
        excluded_agents=fields["excluded_agent"],
        bound_agent=fields["bound_agent"],
        continuation_policy=fields["continuation_policy"] or ContinuationPolicy.INDEPENDENT_HANDOFF,
        resume_when=fields["resume_when"],
        block_reason=invocation.options.get("reason"),
        poll_every=fields["poll_every"],
        next_due_at=fields["next_due_at"],
        expires_at=fields["expires_at"],
        claimed_by=fields["claimed_by"],
        acceptance=fields["acceptance"],
        validation_argv=command_words(fields["validation_command"]),
        validation_timeout=fields["validation_timeout"],
    )


def typed_text(text: str | None, file: str | None) -> str | None:
    """The text of the option or of the file; UsageError for both."""
    if text is not None and file is not None:
        raise UsageError("--text and --text-file contradict each other", hint="Give one of them.")
    return read_file(file) if file is not None else text


def command_words(command: str | None) -> tuple[str, ...] | None:
    """The words of a command line, split like a shell would; UsageError for open quotes or none."""
    if command is None:
        return None
    import shlex

    try:
        words = tuple(shlex.split(command))
    except ValueError as exc:
        raise UsageError(f"the command cannot be split into words: {exc}", hint="Close its quotes.") from exc
    if not words:
        raise UsageError("the command is empty", hint="Name a program and its arguments.")
    return words
