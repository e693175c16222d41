"""`goal pause|resume|close|reopen|accept`: closure is derived and validated, never declared (W10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.goal_view import goal_answer
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.registry_edit import change_registry, refuse_agents
from loopx.app.todo_complete import meet_criteria
from loopx.core.closure import refuse_incomplete_closure
from loopx.core.command import command
from loopx.core.errors import AlreadyDoneError, EvidenceRequiredError
from loopx.core.goal_state import FOR_A_PERSON, GoalVerb, decide_goal_state
from loopx.core.text import checked_text
from loopx.store.closure import closure_facts
from loopx.store.snapshot import unmet_criteria

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.registry.document import RegistryDocument


def move_goal(project: Project, call: Call, verb: GoalVerb) -> Document:
    """Pause, resume, close or reopen a goal.

    AlreadyDoneError where it is in that state, GoalNotActiveError, UserDecisionRequiredError for an agent
    that would lift a stop, ClosureIncompleteError that names all that keeps it open.
    """

    def edit(work: Work, document: RegistryDocument) -> None:
        goal = work.goal
        if verb in FOR_A_PERSON:
            refuse_agents(work, f"{verb} a goal")
        state = decide_goal_state(goal, verb)
        if verb is GoalVerb.CLOSE:
            refuse_incomplete_closure(goal.goal_id, closure_facts(work.tx.db, goal))
        document.set_goal_state(goal.goal_id, state)

    return change_registry(project, call, edit, _answer)


def accept_criterion(project: Project, call: Call, criterion_id: str, evidence: str | None) -> Document:
    """Record that an acceptance criterion is met, with its evidence.

    EvidenceRequiredError, UsageError for an unknown criterion, AlreadyDoneError for one that is met.
    """

    def change(work: Work) -> Outcome:
        if evidence is None:
            raise EvidenceRequiredError(
                f"{criterion_id} is accepted with evidence",
                hint="Say with --evidence what was checked and where it can be seen.",
                criterion=criterion_id,
            )
        known = {criterion.id for criterion in work.goal.acceptance}
        if criterion_id in known.difference(unmet_criteria(work.tx.db, work.goal)):
            raise AlreadyDoneError(
                f"{criterion_id} of {work.goal.goal_id} is met already",
                hint="`loopx log --action goal_accepted` shows by whom and with what evidence.",
                criterion=criterion_id,
            )
        meet_criteria(work, (criterion_id,), checked_text(evidence, field="evidence"), None)
        return _answer(work)

    return mutate(project, call, change)


def _answer(work: Work) -> Outcome:
    next_command = command("goal", "show", "--goal-id", work.goal.goal_id)
    return Outcome(goal_answer(work.tx.db, work.goal), next_command=next_command)
