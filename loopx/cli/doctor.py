"""`loopx doctor`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from loopx.app.doctor.examine import examine
from loopx.app.doctor.mend import mend
from loopx.app.doctor.report import report
from loopx.cli.declare import flag
from loopx.cli.output import write_note
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("doctor", mutates=True, example="loopx doctor --format json")
@flag("--fix", help="Back up, then settle what can be proved.")
def cli(invocation: Invocation, fix: bool) -> Document:
    """Check pages, history, kept values, waiting work and files; nothing is written without --fix."""
    if not fix:
        return report(examine(invocation.project(), _tell))
    call = invocation.call("doctor_fixed", needs_active_goal=False, mends_graph=True)
    return mend(invocation.project(), call, _tell)


def _tell(step: str) -> None:
    """What is looked at now, for a person who waits; nothing where nobody watches."""
    if sys.stderr.isatty():
        write_note(f"checking: {step}")
