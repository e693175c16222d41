"""`loopx worker run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.cli.declare import ChoiceType, flag, option
from loopx.cli.verb import verb
from loopx.cli.worker.options import count_option, worker_options
from loopx.settings import ROLES, TEAMMATE

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document
    from loopx.cli.worker.options import Given


@verb("run", example="loopx worker run --goal-id ship --agent-id agent-a --exec './work.sh' --until-idle")
@worker_options
@flag("--once", help="One todo, or none where nothing is ready now.")
@flag("--until-idle", help="End at the first idle timeout; otherwise wait for mail and work until told to end.")
@count_option("--max-tasks", "End after that many todos.")
@option("--role", type=ChoiceType(ROLES), default=TEAMMATE, help="What its runs may do (teammate).")
@flag("--end-with-input", "ends_with_input", help="End once standard input is closed, as a started process should.")
@option("--lead", metavar="ID", help="The mailbox for the last words of each run: an agent, or `user`.")
def cli(
    invocation: Invocation,
    given: Given,
    once: bool,
    until_idle: bool,
    max_tasks: int | None,
    role: str,
    lead: str | None,
    ends_with_input: bool,
) -> Document:
    """Find ready work, do it in a program or chat model, and keep its lease alive; mail, plans and shutdown come first.

    Exit 0 of the program completes nothing without --complete-on-success: its lease runs out.
    """
    from loopx.cli.worker.serve import serve_worker

    policy = given.policy(once=once, until_idle=until_idle, max_tasks=max_tasks)
    return serve_worker(invocation, given, policy, role=role, lead=lead, ends_with_input=ends_with_input)
