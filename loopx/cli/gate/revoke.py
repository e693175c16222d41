"""`loopx gate revoke`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.gate_answer import revoke_gate
from loopx.cli.verb import todo_id_option, verb

if TYPE_CHECKING:
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document


@verb("revoke", mutates=True, example="loopx gate revoke todo_0123456789")
@todo_id_option
def cli(invocation: Invocation, todo_id: str) -> Document:
    """End a standing answer; what it covered needs a decision again."""
    return revoke_gate(invocation.project(), invocation.call("gate_revoked"), todo_id)
