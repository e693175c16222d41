"""`--dry-run` and `--operation-id` of every mutating verb: an answer without a trace, and an answer given once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.project import everything

if TYPE_CHECKING:
    from tests.support.cli import Loopx

GATE = ("--role", "user", "--task-class", "user_gate", "--blocks-agent", "agent-b", "--decision-scope")
MONITOR = ("--task-class", "continuous_monitor", "--poll-every", "1h")

VERBS = """
todo add --text new
todo update WORK --priority P0
todo claim WORK --claimed-by agent-a
todo release HELD --agent-id agent-a
todo reassign HELD --agent-id agent-a --claimed-by agent-b
todo claim-next --agent-id agent-a
todo complete WORK --claimed-by agent-a --evidence seen --next-agent-todo next
todo complete GATE
todo supersede WORK --reason changed --next-agent-todo next
todo defer WORK --resume-when in:2h
todo block WORK --reason waits
todo reopen ASLEEP
gate answer GATE --decision approve --standing --note yes
gate revoke ANSWERED
monitor poll MONITOR --agent-id agent-a --result changed --evidence seen --next-agent-todo next
refresh-state --agent-id agent-a --todo-id WORK --run-kind work --evidence seen --validation passed
quota spend-slot --agent-id agent-a --run-id RUN --tokens 10
task-lease acquire --todo-id WORK --agent-id agent-a --ttl 15m
task-lease renew --lease-id LEASE --agent-id agent-a --expect-version 1 --ttl 20m
task-lease transfer --lease-id LEASE --agent-id agent-a --to agent-b --expect-version 1
task-lease release --lease-id LEASE --agent-id agent-a --expect-version 1
goal add --goal-id other --objective more
goal update --slots 3
goal pause
goal accept --criterion A1 --evidence seen
agent register --agent-id agent-c --capability shell
agent retire --agent-id agent-b
authority grant --agent-id agent-b --action complete
fact record pr_merged:1 --evidence seen
pool set gpu --capacity 2
""".strip().splitlines()


@pytest.fixture
def project(inside: Loopx) -> Loopx:
    """One goal with something for every verb to act on."""
    inside.ok(
        "init", "--goal-id", "g", "--objective", "o", "--acceptance", "It works", "--agent", "agent-a", "--agent",
        "agent-b",
    )  # fmt: skip
    return inside


def add(project: Loopx, *options: str) -> str:
    return str(project.ok("todo", "add", "--text", "one", *options)["todo"]["todo_id"])


def answered(project: Loopx) -> str:
    gate = add(project, *GATE, "direction:action:answered")
    project.ok("gate", "answer", gate, "--decision", "approve", "--standing")
    return gate


def leased(project: Loopx) -> str:
    lease = project.ok("task-lease", "acquire", "--todo-id", add(project), "--agent-id", "agent-a")["lease"]
    return str(lease["lease_id"])


def recorded(project: Loopx) -> str:
    work = ("--run-kind", "work", "--evidence", "seen", "--validation", "passed")
    run = project.ok("refresh-state", "--agent-id", "agent-a", "--todo-id", add(project), *work)["run"]
    return str(run["run_id"])


MAKERS = {
    "WORK": add,
    "HELD": lambda project: add(project, "--claimed-by", "agent-a"),
    "ASLEEP": lambda project: add(project, "--status", "deferred", "--resume-when", "in:1h"),
    "GATE": lambda project: add(project, *GATE, "direction:action:open"),
    "ANSWERED": answered,
    "MONITOR": lambda project: add(project, *MONITOR),
    "RUN": recorded,
    "LEASE": leased,
}


def words_of(project: Loopx, verb: str) -> list[str]:
    """The call, with what it acts on made first; `claim-next` too needs something to claim."""
    if "claim-next" in verb:
        add(project)
    return [MAKERS[word](project) if word in MAKERS else word for word in verb.split()]


@pytest.mark.parametrize("verb", VERBS)
def test_a_dry_run_answers_in_the_shape_of_the_real_call_and_writes_nothing(project: Loopx, verb: str) -> None:
    words = words_of(project, verb)
    before = everything(project.root)
    rehearsal = project.ok(*words, "--dry-run")
    assert everything(project.root) == before
    assert rehearsal["dry_run"] is True
    assert set(rehearsal) - {"dry_run"} == set(project.ok(*words))


@pytest.mark.parametrize("verb", VERBS)
def test_a_retry_gets_the_first_answer_and_another_intent_is_a_conflict(project: Loopx, verb: str) -> None:
    words = words_of(project, verb)
    first = project.ok(*words, "--operation-id", "op-1")
    after = everything(project.root)
    again = project.ok(*words, "--idempotency-key", "op-1")
    assert (first["receipt"]["replayed"], again["receipt"]["replayed"]) == (False, True)
    again["receipt"]["replayed"] = False
    assert again == first
    project.refused("todo", "add", "--text", "other", "--operation-id", "op-1", code="operation_conflict", exit_code=4)
    assert everything(project.root) == after
