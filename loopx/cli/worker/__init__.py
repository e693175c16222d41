"""`loopx worker …`: an agent that finds ready work by itself."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "run": ("loopx.cli.worker.run", "Work until there is nothing left, or until it is told to end."),
}

cli = family(
    "worker",
    "An agent that finds ready work by itself, obeying mail, plans and shutdown first.",
    MEMBERS,
    example="loopx worker run --goal-id ship --agent-id agent-a --exec './work.sh' --until-idle",
)
