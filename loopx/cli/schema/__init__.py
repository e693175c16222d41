"""`loopx schema …`: the contracts of every JSON document."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "list": ("loopx.cli.schema.list", "The contracts by name."),
    "show": ("loopx.cli.schema.show", "One contract, as JSON Schema."),
    "check": ("loopx.cli.schema.check", "Hold a document against the contract that it names."),
}

cli = family("schema", "The contracts of every JSON document.", MEMBERS, example="loopx schema show todo_v1")
