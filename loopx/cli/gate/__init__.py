"""`loopx gate …`: decisions that wait for a person."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "list": ("loopx.cli.gate.list", "Gates and their answers."),
    "answer": ("loopx.cli.gate.answer", "Approve or reject; asks on a terminal."),
    "revoke": ("loopx.cli.gate.revoke", "End a standing answer."),
}

cli = family("gate", "Decisions that wait for a person.", MEMBERS, example="loopx gate answer todo_0123456789")
