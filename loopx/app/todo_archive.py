"""`todo archive`: closed work leaves the hot tables; its record and its events stay, and its id finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.contracts.todo_document import id_list
from loopx.core.command import command
from loopx.store.archive import archive, free_to_go, reasons_to_stay

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.instant import Duration

ARCHIVE_SCHEMA = "todo_archive_v1"
MOST = 1_000  # todos a call: a write keeps the others waiting for well below a second


def archive_todos(project: Project, call: Call, older_than: Duration) -> Document:
    """Archive what was closed at least `older_than` microseconds ago, of the named goal or of all.

    What open work still waits for or names, answers of gates, and work whose follow-up is not stated stay;
    the answer says how many and why. GoalNotFoundError.
    """

    def change(work: Work) -> Outcome:
        work.refuse_stranger()
        goal_id = work.enter_goal(call.goal_id).goal_id if call.goal_id is not None else None
        before = work.now - older_than + 1
        kept = reasons_to_stay(work.tx.db, before, goal_id)
        free = kept.pop("", 0)
        moved = free_to_go(work.tx.db, before, goal_id, MOST)
        archive(work.tx, moved)
        body: Document = {
            "schema_version": ARCHIVE_SCHEMA,
            "ok": True,
            "archived": len(moved),
            **id_list("todo_ids", moved),
            "remaining": free - len(moved),
            "kept": kept,
        }
        next_command = command("todo", "list", "--archived")
        return Outcome(body, next_command=next_command, notes=(("archived", len(moved)),), records=bool(moved))

    return mutate(project, call, change)
