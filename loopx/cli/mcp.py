"""`loopx mcp`."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from loopx.app.extra import module_of_extra
from loopx.app.identity import acting, acting_role
from loopx.app.lease import DEFAULT_TTL
from loopx.app.place import working_directory
from loopx.app.setup.mark import WORKER
from loopx.cli.declare import DURATION, ChoiceType, option
from loopx.cli.typed import capability_names
from loopx.cli.verb import verb
from loopx.core.errors import ActorRequiredError
from loopx.settings import LEAD, ROLES, TEAMMATE

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("mcp", example="loopx mcp --agent-id agent-a --role worker")
@option("--role", type=ChoiceType((*ROLES, WORKER)), help="lead (default), subagent, teammate; worker is a teammate.")
@option("--lease-ttl", type=DURATION, default=DEFAULT_TTL, help="How long a claimed task is leased (15m).")
@option("--available-capability", multiple=True, metavar="NAME", help="What this agent can do.")
@option("--workspace", metavar="PATH", help="Where it works; otherwise the current folder.")
def cli(
    invocation: Invocation,
    role: str | None,
    lease_ttl: int,
    available_capability: tuple[str, ...],
    workspace: str | None,
) -> Document | None:
    """Serve an agent's tools over standard input and output (MCP) until the input ends.

    Who it is and what it may do are fixed at the start. The project may come and go meanwhile.
    """
    invocation.options["format"] = "text"  # standard output is the protocol's alone; refusals go to standard error
    agent_id = acting(invocation.settings, invocation.options.get("agent_id")).agent_id
    if agent_id is None:
        raise ActorRequiredError("a server acts for one agent", hint="Name it with --agent-id or LOOPX_AGENT_ID.")
    edge = module_of_extra("loopx.mcp.server", "mcp")
    resident = module_of_extra("loopx.mcp.resident", "mcp")
    served = resident.Served(
        path=invocation.options.get("project"),
        agent_id=agent_id,
        role=acting_role(invocation.settings, TEAMMATE if role == WORKER else role) or LEAD,
        goal_id=invocation.goal_id,
        ttl=lease_ttl,
        capabilities=capability_names(available_capability),
        folder=workspace or working_directory(),
    )
    gc.enable()  # a server lives long; the entry point turned collecting off for calls that do not
    edge.serve(served, invocation.settings)
    return None
