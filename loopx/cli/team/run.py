"""`loopx team run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.cli.declare import TEXT, flag, option
from loopx.cli.verb import verb
from loopx.cli.worker.options import worker_options

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document
    from loopx.cli.worker.options import Given


@verb(
    "run",
    example="loopx team run --goal-id ship --teammate agent-a --teammate agent-b --exec './work.sh'",
)
@worker_options
@option("--teammate", "teammates", multiple=True, metavar="NAME[:ROLE]", help="A worker: an agent, and its role.")
@option("--prompt", type=TEXT, metavar="TEXT", help="What the lead is asked to do; `-` reads standard input.")
@option("--lead-exec", "lead_program", metavar="CMD", help="The lead's program; otherwise it runs what workers run.")
@flag("--lead-answers-mail", "answers_mail", help="Run the lead's program again for each message to it.")
@flag("--one-process", help="All workers in this process, instead of one process each.")
@flag("--keep", "keeps", help="Stay when there is nothing left to do, until interrupted or shut down.")
def cli(
    invocation: Invocation,
    given: Given,
    teammates: tuple[str, ...],
    prompt: str | None,
    lead_program: str | None,
    answers_mail: bool,
    one_process: bool,
    keeps: bool,
) -> Document:
    """Start a lead and its workers, and end them by handshake when nothing is left to do.

    The lead is the actor: an agent with a prompt, whose program or model makes the work, or whoever made it already.
    """
    from loopx.cli.team.serve import LeadWish, serve_team

    lead = LeadWish(prompt, lead_program, answers_mail)
    return serve_team(invocation, given, lead, teammates, one_process=one_process, keeps=keeps)
