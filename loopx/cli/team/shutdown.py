"""`loopx team shutdown`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.cli.declare import DURATION, flag, option
from loopx.cli.verb import verb
from loopx.core.errors import UsageError
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("shutdown", subject=True, example="loopx team shutdown --agent-id agent-b --wait 1m")
@option("--agent-id", "agent_ids", multiple=True, metavar="ID", help="Whose worker shall end.")
@flag("--all", "everybody", help="Every agent whose worker runs on this machine.")
@option("--wait", "patience", type=DURATION, help="Wait at most this long for their answers.")
@option("--reason", metavar="TEXT", help="Why; told to the worker and kept in the event.")
def cli(
    invocation: Invocation, agent_ids: tuple[str, ...], everybody: bool, patience: int | None, reason: str | None
) -> Document:
    """Ask workers to end before their next task. What they are on is finished; the answer is a typed message."""
    from loopx.team.closing import ask_to_end, running_agents

    before = invocation.options.pop("agent_id", None)
    named = [normalise_name(name, what="agent id") for name in (*agent_ids, *([before] if before else []))]
    if bool(named) == everybody:
        raise UsageError(
            "nobody was named" if not named else "--all and --agent-id contradict each other",
            hint="Name workers with --agent-id, or all with --all.",
        )
    invocation.options["reason"] = reason
    project = invocation.project()
    goal_id = project.read(lambda snapshot: snapshot.registry.goal(invocation.goal_id)).goal_id
    wanted = running_agents(project, goal_id) if everybody else list(dict.fromkeys(named))
    call = invocation.call("shutdown_requested")._replace(goal_id=goal_id)
    return ask_to_end(project, call, wanted, patience=patience or 0, sleeper=invocation.sleeper())
