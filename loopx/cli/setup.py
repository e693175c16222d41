"""`loopx setup`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.place import working_directory
from loopx.app.setup.apply import apply_setup, check_setup, remove_setup, setup_root
from loopx.app.setup.mark import PROFILES, Wish
from loopx.app.setup.target import TARGETS
from loopx.cli.declare import ChoiceType, argument, flag, option
from loopx.cli.verb import verb
from loopx.core.errors import UsageError
from loopx.core.name import normalise_name

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document

SAYS_NO = 10


@verb("setup", example="loopx setup claude --role worker")
@argument("target", type=ChoiceType(TARGETS), metavar="PROGRAM")
@option("--role", type=ChoiceType(PROFILES), help="What sessions are for: lead (default) or worker.")
@flag("--mcp", help="Also the MCP server, which needs the extra `mcp`.")
@flag("--check", help="Only look: exit 0 where all is up to date, 10 where not.")
@flag("--remove", help="Take out what setup wrote; the rest stays byte for byte.")
@flag("--dry-run", help="The answer it would give; nothing is written.")
def cli(
    invocation: Invocation, target: str, role: str | None, mcp: bool, check: bool, remove: bool, dry_run: bool
) -> Document:
    """Connect an agent's program with this project: claude, codex, cursor or agents-md.

    One marked piece a file, in the root of the checkout. `--agent-id` also writes down who the sessions are.
    """
    if check and remove:
        raise UsageError("--check and --remove contradict each other", hint="Leave one of them out.")
    root = setup_root(invocation.options.get("project") or invocation.settings.project, working_directory())
    if remove:
        return remove_setup(root, target, dry_run=dry_run)
    agent_id = invocation.options.get("agent_id")
    wish = Wish(role, agent_id and normalise_name(agent_id, what="agent id"))
    if check:
        document = check_setup(root, target, wish, server=mcp)
        return {**document, **({} if document["current"] else {"_exit_code": SAYS_NO})}
    return apply_setup(root, target, wish, server=mcp, dry_run=dry_run)
