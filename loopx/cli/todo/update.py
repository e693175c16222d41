"""`loopx todo update`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from loopx.app.todo_update import ListPatch, TodoPatch, update_todo
from loopx.cli.declare import TEXT, WORD, ChoiceType, flag, option
from loopx.cli.todo.add import command_words, typed_text
from loopx.cli.todo.fields import field_options, many
from loopx.cli.verb import held_work_options, todo_id_option, verb
from loopx.core.errors import TodoInvalidError
from loopx.core.todo import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.cli.context import Invocation
    from loopx.cli.output import Document

F = TypeVar("F", bound="Callable[..., Any]")

LISTS = (
    "blocked_by",
    "required_capability",
    "required_write_scope",
    "required_decision_scope",
    "excluded_agent",
    "acceptance",
)
CLEARABLE = (
    "action_kind", "target_capability", "task_repository", "bound_agent", "blocks_agent", "unblocks_todo_id",
    "decision_scope", "poll_every", "expires_at", "validation",
)  # fmt: skip


def patch_options(function: F) -> F:
    """`--remove-X V` for the lists and `--clear-X` for all that can be empty."""
    for name in reversed((*LISTS, *CLEARABLE)):
        dashed = name.replace("_", "-")
        function = flag(f"--clear-{dashed}", help=f"Empty {dashed} first.")(function)
        if name in LISTS:
            kind = TEXT if name == "acceptance" else WORD
            function = many(f"--remove-{dashed}", type=kind, metavar="V", help=f"Take it out of {dashed}.")(function)
    return function


@verb(
    "update",
    mutates=True,
    example="loopx todo update todo_0123456789 --priority P1 --remove-blocked-by todo_x",
)
@held_work_options
@todo_id_option
@field_options
@patch_options
@flag("--global-gate/--no-global-gate", default=None, help="Whether the gate holds everybody.")
@option("--resume-when", metavar="COND", help="What wakes it now, where it is deferred, blocked or a blocker.")
@flag("--no-follow-up", help="Nothing follows this done todo; needs --reason.")
@option("--successor-todo-id", multiple=True, metavar="ID", help="What follows this done todo; needs --reason.")
@option("--status", type=ChoiceType(Status), help="Not changed here: see complete, defer, block, reopen.")
def cli(invocation: Invocation, todo_id: str, **fields: Any) -> Document:
    """Change fields. A repeatable option adds, --remove-X takes out, --clear-X empties first."""
    if fields["status"] is not None:
        raise TodoInvalidError(
            "status changes through its own verbs", hint="Use complete, supersede, defer, block or reopen."
        )
    return update_todo(invocation.project(), invocation.call("todo_updated"), todo_id, todo_patch(fields))


def todo_patch(fields: dict[str, Any]) -> TodoPatch:
    """The patch that these options make."""
    return TodoPatch(
        text=typed_text(fields["text"], fields["text_file"]),
        priority=fields["priority"],
        task_class=fields["task_class"],
        action_kind=fields["action_kind"],
        target_capability=fields["target_capability"],
        continuation_policy=fields["continuation_policy"],
        blocked_by=_list_patch(fields, "blocked_by"),
        required_capabilities=_list_patch(fields, "required_capability"),
        required_write_scopes=_list_patch(fields, "required_write_scope"),
        required_decision_scopes=_list_patch(fields, "required_decision_scope"),
        excluded_agents=_list_patch(fields, "excluded_agent"),
        acceptance=_list_patch(fields, "acceptance"),
        task_repository=fields["task_repository"],
        bound_agent=fields["bound_agent"],
        decision_scope=fields["decision_scope"],
        blocks_agent=fields["blocks_agent"],
        global_gate=fields["global_gate"],
        unblocks_todo_id=fields["unblocks_todo_id"],
        poll_every=fields["poll_every"],
        next_due_at=fields["next_due_at"],
        expires_at=fields["expires_at"],
        validation_argv=command_words(fields["validation_command"]),
        validation_timeout=fields["validation_timeout"],
        resume_when=fields["resume_when"],
        no_followup=fields["no_follow_up"],
        successor_ids=fields["successor_todo_id"],
        clear=frozenset(name for name in CLEARABLE if fields[f"clear_{name}"]),
    )


def _list_patch(fields: dict[str, Any], name: str) -> ListPatch:
    return ListPatch(add=fields[name], remove=fields[f"remove_{name}"], clear=fields[f"clear_{name}"])
