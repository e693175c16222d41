"""`loopx team …`: a lead and its workers."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "run": ("loopx.cli.team.run", "Start a lead and its workers, and end them when nothing is left to do."),
    "status": ("loopx.cli.team.status", "Who does what, whose worker lives, and what waits for whom."),
    "shutdown": ("loopx.cli.team.shutdown", "Ask workers to end before their next task."),
}

cli = family(
    "team",
    "A lead and its workers: run, watch, shut down.",
    MEMBERS,
    example="loopx team status --goal-id ship",
)
