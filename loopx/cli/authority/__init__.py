"""`loopx authority …`: grants over peers' claimed todos."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "grant": ("loopx.cli.authority.grant", "Give an agent a grant."),
    "revoke": ("loopx.cli.authority.revoke", "Take it back."),
    "list": ("loopx.cli.authority.list", "The grants of a goal."),
}

cli = family(
    "authority",
    "Grants over peers' claimed todos; only a person gives them.",
    MEMBERS,
    example="loopx authority grant --goal-id ship --agent-id agent-a --action complete --requires-reason",
)
