"""`loopx quota should-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.decide import Question, should_run
from loopx.cli.context import working_directory
from loopx.cli.declare import DURATION, flag, option
from loopx.cli.paging import page_options
from loopx.cli.typed import capability_names
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document

SAYS_NO = 10


@verb(
    "should-run",
    example="loopx quota should-run --goal-id ship --agent-id agent-a --available-capability shell",
)
@option("--available-capability", multiple=True, metavar="NAME", help="What the caller can do now.")
@option("--workspace", metavar="PATH", help="Where it would work; otherwise the current folder.")
@flag("--explain", help="Also every todo that was dropped, by which stage and why.")
@flag("--exit-code", help="Exit 0 to run, 10 not to.")
@option("--wait", type=DURATION, help="Wait for a change at most this long before saying no.")
@page_options
def cli(
    invocation: Invocation,
    page: Page,
    available_capability: tuple[str, ...],
    workspace: str | None,
    explain: bool,
    exit_code: bool,
    wait: int | None,
) -> Document:
    """One decision for one agent now: what the user must do, what this agent may do, what to write back."""
    question = Question(
        goal_id=invocation.goal_id,
        agent_id=invocation.agent(),
        capabilities=capability_names(available_capability),
        folder=workspace or working_directory(),
    )
    project = invocation.project()
    explained = page if explain else None
    if wait is None:
        document = should_run(project, question, explained=explained)
    else:
        from loopx.app.wait import wait_to_run

        document = wait_to_run(project, question, wait, explained=explained, sleeper=invocation.sleeper())
    if exit_code and not document["should_run"]:
        document["_exit_code"] = SAYS_NO
    return document
