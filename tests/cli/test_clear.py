"""`todo update --clear-X`: what can be empty can be emptied, and only that."""

from __future__ import annotations

import pytest

from tests.support.cli import Loopx

WORK = ("--role", "agent")
GATE = ("--role", "user", "--task-class", "user_gate", "--decision-scope", "direction:action:way")
MONITOR = ("--task-class", "continuous_monitor", "--poll-every", "1h", "--expires-at", "in:9d")


@pytest.mark.parametrize(
    ("made", "clear", "key", "empty"),
    [
        ((*WORK, "--action-kind", "review"), "--clear-action-kind", "action_kind", None),
        ((*WORK, "--target-capability", "deploy"), "--clear-target-capability", "target_capability", None),
        ((*WORK, "--task-repository", "git:h/o/r"), "--clear-task-repository", "task_repository", None),
        ((*WORK, "--bound-agent", "agent-a"), "--clear-bound-agent", "bound_agent", None),
        ((*WORK, "--required-capability", "x"), "--clear-required-capability", "required_capabilities", []),
        ((*WORK, "--required-write-scope", "src/**"), "--clear-required-write-scope", "required_write_scopes", []),
        ((*WORK, "--excluded-agent", "agent-b"), "--clear-excluded-agent", "excluded_agents", []),
        ((*WORK, "--acceptance", "it works"), "--clear-acceptance", "acceptance", []),
        ((*WORK, "--validation-command", "true"), "--clear-validation", "validation_command", None),
        ((*GATE, "--global-gate"), "--clear-decision-scope", "decision_scope", None),
        ((*GATE, "--blocks-agent", "agent-a"), "--clear-blocks-agent", "blocks_agent", None),
        (MONITOR, "--clear-poll-every", "poll_every_seconds", None),
        (MONITOR, "--clear-expires-at", "expires_at", None),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_person_empties_a_field(inside: Loopx, made: tuple[str, ...], clear: str, key: str, empty: object) -> None:
    inside.ok("init", "--goal-id", "lab", "--objective", "Clear", "--agent", "agent-a", "--agent", "agent-b")
    todo = inside.ok("todo", "add", "--text", "text", *made)["todo"]["todo_id"]
    assert inside.ok("todo", "show", todo)["todo"][key] not in (None, [])
    assert inside.ok("todo", "update", todo, clear, "--full")["todo"][key] == empty
