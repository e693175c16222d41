"""`loopx task-lease …`: hard ownership for a time."""

from __future__ import annotations

from loopx.cli.verb import family

MEMBERS = {
    "acquire": ("loopx.cli.task_lease.acquire", "Take a todo for a time."),
    "renew": ("loopx.cli.task_lease.renew", "Keep it: the heartbeat."),
    "transfer": ("loopx.cli.task_lease.transfer", "Hand it to another agent."),
    "release": ("loopx.cli.task_lease.release", "Give it back."),
    "show": ("loopx.cli.task_lease.show", "One lease."),
    "list": ("loopx.cli.task_lease.list", "The live leases."),
}

cli = family(
    "task-lease",
    "Hard ownership for a time: leases with versions and tokens.",
    MEMBERS,
    example="loopx task-lease acquire --todo-id todo_0123456789 --agent-id agent-a --ttl 15m",
)
