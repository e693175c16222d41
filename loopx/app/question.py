"""The user channel as a person reads it: what is asked, and what each open gate holds up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mark import NOBODY
from loopx.contracts.todo_document import full_todo
from loopx.core.decision.admission import lane_gate
from loopx.core.decision.case import case_of
from loopx.core.decision.gate import gate_of
from loopx.core.decision.gating import decision_scopes
from loopx.core.decision.snapshot import Caller
from loopx.core.text import BRIEF_BYTES, cut
from loopx.core.todo import TaskClass
from loopx.core.value import Value
from loopx.store.glance import asked_count, asked_todo, asked_todos
from loopx.store.snapshot import load_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from loopx.app.mutation import Document
    from loopx.app.project import Project, Snapshot
    from loopx.core.decision import snapshot as decision
    from loopx.core.decision.case import Case
    from loopx.core.goal import Goal
    from loopx.core.todo import Todo

SHOWN = 20  # questions of a goal, as many as a decision tells of
_HELD_SHOWN = 5  # todos that a question names as held up


class Reach(Value):
    """What one open gate holds up.

    `lane_of` is the agent whose whole lane waits, or `everybody`; `held` are the best-ranked of `total` todos that
    wait for this answer first. `incomplete` gates stop everybody until they say whom they hold (W6.3).
    """

    lane_of: str | None = None
    everybody: bool = False
    incomplete: bool = False
    total: int = 0
    held: tuple[Document, ...] = ()


class Question(Value):
    """One open item of the user channel: the whole todo, and what it holds up where it is a gate."""

    todo: Document
    reach: Reach | None


class Questions(Value):
    """The best-ranked questions of the goals that were asked about, and how many there are in all."""

    shown: tuple[Question, ...]
    total: int


def read_questions(project: Project, goal_id: str | None = None, *, shown: int = SHOWN) -> Questions:
    """What waits for a person, gates first, then by rank; of one goal, or of all. GoalNotFoundError."""

    def query(snapshot: Snapshot) -> Questions:
        registry = snapshot.registry
        goal_ids = registry.goal_ids if goal_id is None else (registry.goal(goal_id).goal_id,)
        todos = asked_todos(snapshot.db, goal_ids, shown)
        return Questions(tuple(_questions(snapshot, todos)), asked_count(snapshot.db, goal_ids))

    return project.read(query)


def read_question(project: Project, todo_id: str) -> Question | None:
    """The question that this todo is, or None where nobody is asked by it."""

    def query(snapshot: Snapshot) -> Question | None:
        todo = asked_todo(snapshot.db, todo_id)
        if todo is None or snapshot.registry.find(todo.goal_id) is None:
            return None
        return _questions(snapshot, [todo])[0]

    return project.read(query)


def _questions(snapshot: Snapshot, todos: Sequence[Todo]) -> list[Question]:
    """The questions in the order of the todos; a goal's gates are judged together."""
    goals = {goal_id: snapshot.registry.goal(goal_id) for goal_id in {todo.goal_id for todo in todos}}
    reaches: dict[str, Reach] = {}
    for goal in goals.values():
        gates = [todo for todo in todos if todo.goal_id == goal.goal_id and todo.task_class is TaskClass.USER_GATE]
        reaches |= _reaches(snapshot, goal, gates) if gates else {}
    return [Question(_whole(snapshot, goals[todo.goal_id], todo), reaches.get(todo.todo_id)) for todo in todos]


def _whole(snapshot: Snapshot, goal: Goal, todo: Todo) -> Document:
    return full_todo(todo, now=snapshot.now, active_agents=[agent.agent_id for agent in goal.active_agents])


def _reaches(snapshot: Snapshot, goal: Goal, gates: Iterable[Todo]) -> dict[str, Reach]:
    """The reach of each gate, as the agent meets it that it names; nobody in particular otherwise."""
    view = load_snapshot(snapshot.db, goal, now=snapshot.now, state=snapshot.state)
    cases = {NOBODY: case_of(view, Caller(NOBODY), snapshot.now)}
    reaches: dict[str, Reach] = {}
    for todo in gates:
        agent_id = gate_of(todo).blocks_agent or NOBODY
        if agent_id not in cases:
            cases[agent_id] = case_of(view, Caller(agent_id), snapshot.now)
        reaches[todo.todo_id] = _reach(cases[agent_id], todo, view.cohorts)
    return reaches


def _reach(case: Case, gate: Todo, cohorts: Iterable[decision.Cohort]) -> Reach:
    value = gate_of(gate)
    barring = lane_gate(case)
    bars = barring is not None and barring.facts.get("gate") == gate.todo_id
    held = [cohort for cohort in cohorts if _waits_for(case, cohort, gate.todo_id)]
    best = sorted((todo for cohort in held for todo in cohort.members), key=lambda todo: todo.rank)
    return Reach(
        lane_of=case.agent_id if bars and not value.global_gate else None,
        everybody=value.global_gate,
        incomplete=any(one.todo_id == gate.todo_id for one in case.gates.incomplete),
        total=sum(cohort.count for cohort in held),
        held=tuple(_named(todo) for todo in best[:_HELD_SHOWN]),
    )


def _waits_for(case: Case, cohort: decision.Cohort, gate_id: str) -> bool:
    drop = decision_scopes(case, cohort)
    return drop is not None and drop.facts.get("gate") == gate_id


def _named(todo: Todo) -> Document:
    return {"todo_id": todo.todo_id, "text": cut(todo.text, BRIEF_BYTES)[0]}
