"""A person's answer to a gate, and what it frees (W6.6–W6.8, design.md §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate, refuse_teammate
from loopx.app.todo_new import todo_in_goal
from loopx.app.todo_view import todo_answer
from loopx.core.command import command
from loopx.core.errors import AlreadyDoneError, TodoInvalidError, TodoNotOpenError
from loopx.core.lifecycle import refuse_agents_on_gates, refuse_unless_open
from loopx.core.scope import covers, parse_decision_scope
from loopx.core.text import checked_text
from loopx.core.todo import Closure, Decision, Gate, Status, TaskClass, Verdict
from loopx.core.value import Value
from loopx.store.todos import select_todos

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.todo import Todo


class Answer(Value):
    """Yes or no, for now or standing, with an optional note."""

    verdict: Verdict = Verdict.APPROVE
    note: str | None = None
    standing: bool = False


def answer_gate(project: Project, call: Call, todo_id: str, answer: Answer) -> Document:
    """Record a person's decision. UserDecisionRequiredError for an agent, AlreadyDoneError for a second answer."""

    def change(work: Work) -> Outcome:
        return approve_by_completion(work, work.tx.todo(todo_in_goal(work, todo_id)), answer)

    return mutate(project, call, change)


def approve_by_completion(work: Work, gate: Todo, answer: Answer) -> Outcome:
    """The answer itself; `todo complete` on a gate means approve."""
    _refuse_other_classes(gate)
    refuse_teammate(work.call, "gate_answered")
    refuse_agents_on_gates(gate, work.hand(gate), "answer a gate")
    refuse_unless_open(gate, Status.OPEN, Status.BLOCKED, Status.DEFERRED)
    if answer.note is not None:
        checked_text(answer.note, field="note")
    decision = Decision(answer.verdict, work.now, work.actor.kind.value, answer.note, answer.standing)
    answered = work.tx.save(
        gate,
        gate._replace(
            status=Status.DONE,
            closure=Closure.COMPLETED,
            closed_at=work.now,
            resume=None,
            gate=(gate.gate or Gate())._replace(decision=decision),
        ),
    )
    if answer.verdict is Verdict.APPROVE:
        _consume(work, answered)
    return Outcome(
        todo_answer(work, answered),
        gate.todo_id,
        next_command=command("status", "--goal-id", work.goal.goal_id),
    )


def revoke_gate(project: Project, call: Call, todo_id: str) -> Document:
    """End a standing answer; what it covered needs a decision again."""

    def change(work: Work) -> Outcome:
        gate = work.tx.todo(todo_in_goal(work, todo_id))
        _refuse_other_classes(gate)
        refuse_agents_on_gates(gate, work.hand(gate), "revoke an answer")
        value = gate.gate or Gate()
        decision = value.decision
        if decision is None:
            raise TodoNotOpenError(
                f"{gate.todo_id} has no answer to revoke", hint="Answer it first.", todo_id=gate.todo_id
            )
        if not decision.standing or decision.revoked_at is not None:
            raise AlreadyDoneError(
                f"the answer of {gate.todo_id} does not stand any more",
                hint="Only a standing answer is revoked.",
                todo_id=gate.todo_id,
            )
        revoked = value._replace(decision=decision._replace(revoked_at=work.now))
        after = work.tx.save(gate, gate._replace(gate=revoked))
        return Outcome(todo_answer(work, after), gate.todo_id, next_command=command("gate", "list"))

    return mutate(project, call, change)


def _refuse_other_classes(gate: Todo) -> None:
    if gate.task_class is not TaskClass.USER_GATE:
        raise TodoInvalidError(
            f"{gate.todo_id} is a {gate.task_class}, not a gate",
            hint="`loopx gate list` shows the gates.",
            todo_id=gate.todo_id,
        )


def _consume(work: Work, answered: Todo) -> None:
    """Take the covered requirements from what the gate unblocks, or from all open todos where it names none."""
    gate = answered.gate
    if gate is None or gate.decision_scope is None:
        return
    scope = parse_decision_scope(gate.decision_scope)
    for todo in _freed(work, gate):
        required = todo.route.required_decision_scopes
        left = tuple(text for text in required if not covers(scope, parse_decision_scope(text)))
        if left != required:
            work.tx.save(todo, todo._replace(route=todo.route._replace(required_decision_scopes=left)))


def _freed(work: Work, gate: Gate) -> list[Todo]:
    if gate.unblocks_todo_id is not None:
        todo = work.tx.todo(gate.unblocks_todo_id)
        return [] if todo.is_closed else [todo]
    routes = "SELECT CAST(value AS BIGINT) FROM json_each(?)"
    where = f"WHERE t.goal_id = ? AND t.closure IS NULL AND t.route_id IN ({routes})"
    return select_todos(work.tx.db, where, (work.goal.goal_id, _requiring_routes(work)))


def _requiring_routes(work: Work) -> str:
    """The groups of the goal that require any decision, as a JSON list of ids."""
    import json

    from loopx.store.todo_row import route_of_identity

    sql = "SELECT route_id, identity FROM routes WHERE goal_id = ?"
    rows = work.tx.db.execute(sql, (work.goal.goal_id,))
    return json.dumps([row[0] for row in rows if route_of_identity(row[1]).required_decision_scopes])
