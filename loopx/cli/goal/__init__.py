"""`loopx goal …`: one module a verb, imported when it is called."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "add": ("loopx.cli.goal.add", "Add a goal."),
    "list": ("loopx.cli.goal.list", "The goals, a line each."),
    "show": ("loopx.cli.goal.show", "One goal, and what is missing for its closure."),
    "update": ("loopx.cli.goal.update", "Change objective, criteria, boundary or budget."),
    "pause": ("loopx.cli.goal.pause", "Stop a goal for now."),
    "resume": ("loopx.cli.goal.resume", "Go on with a paused one."),
    "close": ("loopx.cli.goal.close", "Close it, once nothing is missing."),
    "reopen": ("loopx.cli.goal.reopen", "Open a closed one."),
    "accept": ("loopx.cli.goal.accept", "Record that a criterion is met."),
}

cli = family("goal", "Goals: what shall be true at the end.", MEMBERS, example="loopx goal show --goal-id ship")
