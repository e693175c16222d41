"""`loopx refresh-state`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.place import workspace_at
from loopx.app.run import RunReport, refresh_state
from loopx.cli.context import working_directory
from loopx.cli.declare import TEXT, ChoiceType, option
from loopx.cli.verb import held_work_options, todo_id_option, verb
from loopx.core.run import RunKind

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb(
    "refresh-state",
    mutates=True,
    example="loopx refresh-state --agent-id agent-a --todo-id todo_0123456789 --run-kind work"
    " --evidence 'tests pass' --validation 'make test'",
)
@held_work_options
@todo_id_option
@option("--run-kind", type=ChoiceType(RunKind), required=True, help="work, or status where nothing was done.")
@option("--evidence", type=TEXT, help="What shows the result; `-` reads standard input.")
@option("--validation", type=TEXT, help="How the result was checked; only validated work may spend.")
@option("--next-action", type=TEXT, help="What should be done next.")
@option("--stop-condition", type=TEXT, help="When to stop.")
@option("--delivery-workspace", metavar="PATH", help="Where it was done; otherwise the current folder.")
def cli(
    invocation: Invocation,
    todo_id: str,
    run_kind: RunKind,
    evidence: str | None,
    validation: str | None,
    next_action: str | None,
    stop_condition: str | None,
    delivery_workspace: str | None,
) -> Document:
    """Write a run back: its evidence, its validation, and the identity of the workspace it was done in."""
    report = RunReport(todo_id, run_kind, evidence, validation, next_action, stop_condition)
    call = invocation.call("run_recorded")
    return refresh_state(invocation.project(), call, report, workspace_at(delivery_workspace or working_directory()))
