"""The user channel: what a person is asked, and whether this agent is the one that waits for it."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from loopx.core.capability import CapabilityKind
from loopx.core.decision import action
from loopx.core.decision.decision import Question, UserChannel
from loopx.core.decision.means import missing_of
from loopx.core.decision.reason import Consequence
from loopx.core.decision.snapshot import USER_TODO_LIMIT
from loopx.core.todo import TaskClass

if TYPE_CHECKING:
    from loopx.core.decision.case import Case
    from loopx.core.decision.survey import Survey
    from loopx.core.todo import Todo


def user_channel(survey: Survey) -> UserChannel:
    """Open items as concrete questions: those that hold this agent, its requests, then the rest."""
    case = survey.case
    items = _open_items(case)
    holding = {gate.todo_id for gate in case.gates.holding}
    concerning = [todo for todo in items if _concerns(todo, holding)]
    others = [todo for todo in items if not _concerns(todo, holding)]
    wanted = _wanted_capabilities(survey)
    waits = bool(concerning or wanted)
    open_count = max(case.snapshot.user_open, len(items)) + len(wanted)
    questions = chain(
        (_question(case, todo) for todo in concerning),
        (_request(case, todo_id, capability) for capability, todo_id in wanted.items()),
        (_question(case, todo) for todo in others),
    )
    return UserChannel(
        action_required=waits,
        open_count=open_count,
        questions=tuple(islice(questions, USER_TODO_LIMIT)),
        reason=_reason(open_count, waits=waits),
    )


def _open_items(case: Case) -> list[Todo]:
    """Open gates, all of them, and the other items as far as they were read."""
    gates = (todo for todo in case.snapshot.gates if not todo.is_closed)
    items = {todo.todo_id: todo for todo in (*case.snapshot.user_todos, *gates)}
    return sorted(items.values(), key=lambda todo: todo.rank)


def _concerns(todo: Todo, holding: set[str]) -> bool:
    """It holds this agent, or everybody, or it names nobody; so a team asks each question once."""
    return todo.task_class is not TaskClass.USER_GATE or todo.todo_id in holding


def _question(case: Case, todo: Todo) -> Question:
    return Question(todo.todo_id, todo.text, action.settle_user_todo(case, todo), todo)


def _wanted_capabilities(survey: Survey) -> dict[str, str]:
    """What only a person can bring about, where nothing else is in a todo's way: by name, the todo."""
    agents = survey.case.snapshot.goal.active_agents
    known = {name for agent in agents for name in agent.capabilities}
    wanted: dict[str, str] = {}
    for found, drop in survey.all_sole(Consequence.TOOL, Consequence.AUTHORITY):
        tools = [name for name in missing_of(drop, CapabilityKind.TOOL) if name not in known]
        for name in (*tools, *missing_of(drop, CapabilityKind.AUTHORITY)):
            wanted.setdefault(name, found.head.todo_id)
    return wanted


def _request(case: Case, todo_id: str, capability: str) -> Question:
    text = f"{todo_id} needs {capability}. Give it to {case.agent_id}?"
    return Question(todo_id, text, action.give_capability(case, capability))


def _reason(open_count: int, *, waits: bool) -> str:
    if waits:
        return "this agent waits for an answer"
    return "none of these holds this agent" if open_count else "nothing is asked"
