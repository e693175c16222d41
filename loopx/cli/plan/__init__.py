"""`loopx plan …`: what an agent means to do, and whether it may."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "submit": ("loopx.cli.plan.submit", "Ask for a plan's approval."),
    "approve": ("loopx.cli.plan.approve", "Let the agent start work again."),
    "reject": ("loopx.cli.plan.reject", "Keep the agent from starting work."),
    "show": ("loopx.cli.plan.show", "A plan, or the newest one of an agent."),
}

cli = family(
    "plan",
    "Plans that wait for an answer: meanwhile their agent starts nothing.",
    MEMBERS,
    example="loopx plan submit --agent-id agent-a --text 'First the tests, then the parser'",
)
