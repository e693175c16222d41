"""What a late holder submits is kept as a note in the history, never as the result (S4.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Outcome, Work, mutate
from loopx.app.todo_new import todo_in_goal
from loopx.core.errors import TextInvalidError
from loopx.core.text import checked_text
from loopx.store.events import ATTEMPT_NOTED, has_event

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.errors import LoopxError
    from loopx.core.todo import Todo


def note_attempt(project: Project, call: Call, typed_id: str, evidence: str | None, refused: LoopxError) -> None:
    """Keep the evidence of a refused completion where its sender once held the todo.

    `refused` then says under `attempt_note` which event has it. A repeat of the stored result, and a retry of
    the same operation, are not noted again.
    """
    if evidence is None or call.dry_run or call.actor.agent_id is None:
        return

    def change(work: Work) -> Outcome:
        todo = work.tx.todo(todo_in_goal(work, typed_id))
        notes = {"refused": refused.code, "evidence": checked_text(evidence, field="evidence")}
        if call.operation_id is not None:
            notes["operation_id"] = call.operation_id
            if has_event(work.tx.db, todo.todo_id, ATTEMPT_NOTED, notes):
                return Outcome({}, records=False)
        if todo.evidence == evidence or not _held_before(work, todo):
            return Outcome({}, records=False)
        return Outcome({}, todo.todo_id, notes=tuple(notes.items()))

    try:
        receipt = mutate(project, call._replace(action=ATTEMPT_NOTED, operation_id=None), change)["receipt"]
    except TextInvalidError:
        return  # what cannot be stored is not kept; the first refusal stands
    if receipt is not None:
        refused.details["attempt_note"] = receipt["sequence"]


def _held_before(work: Work, todo: Todo) -> bool:
    """Whether the sender shows a token that the todo once had, or has lost the todo by expiry."""
    hand = work.hand(todo)
    if todo.lease is not None and hand.token == todo.lease.claim_token:
        return False
    return hand.token_known or hand.lapsed
