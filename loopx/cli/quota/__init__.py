"""`loopx quota …`: what may run now, and what runs cost."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "should-run": ("loopx.cli.quota.should_run", "One decision for one agent now."),
    "spend-slot": ("loopx.cli.quota.spend_slot", "Book a validated work run."),
    "status": ("loopx.cli.quota.status", "Budgets and what is used of them."),
}

cli = family(
    "quota",
    "What may run now, and what runs cost.",
    MEMBERS,
    example="loopx quota should-run --goal-id ship --agent-id agent-a --available-capability shell",
)
