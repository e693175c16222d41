"""`loopx prime`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.decide import Question
from loopx.app.place import working_directory
from loopx.app.prime import prime_document, start_text
from loopx.app.setup.mark import LEAD, PROFILES
from loopx.cli.declare import ChoiceType, option
from loopx.cli.typed import capability_names
from loopx.cli.verb import verb
from loopx.core.errors import LoopxError, ProjectNotFoundError
from loopx.core.secret import masked

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("prime", example="loopx prime --role worker")
@option("--role", type=ChoiceType(PROFILES), default=LEAD, help="What the session is for: lead (default) or worker.")
@option("--available-capability", multiple=True, metavar="NAME", help="What the session can do.")
def cli(invocation: Invocation, role: str, available_capability: tuple[str, ...]) -> Document:
    """What a session begins with, in under 2 kB: the decision first, then the rules of the house.

    Made for hooks: it writes nothing and always exits 0, in a folder without a project too.
    """
    try:
        return start_text(invocation.project(), _question(invocation, available_capability), role)
    except ProjectNotFoundError:
        return prime_document(["loopx: no project here (`loopx init` starts one)."], mode=None)
    except LoopxError as refusal:
        return prime_document([f"loopx: no decision: {masked(refusal.message)} [{refusal.code}]"], mode=None)
    except Exception as bug:  # noqa: BLE001 - a session must begin, whatever is wrong with us
        return prime_document([f"loopx: no decision, because of a bug ({type(bug).__name__})."], mode=None)


def _question(invocation: Invocation, capabilities: tuple[str, ...]) -> Question | None:
    agent_id = invocation.actor().agent_id
    if agent_id is None:
        return None
    return Question(invocation.goal_id, agent_id, capability_names(capabilities), working_directory())
