"""Reading what stands between a goal and its closure; `loopx/core/closure.py` judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.closure import ClosureFacts
from loopx.core.todo import TaskClass
from loopx.store.overview import class_counts, has_todos
from loopx.store.snapshot import follow_gaps, unmet_criteria

if TYPE_CHECKING:
    from loopx.core.goal import Goal
    from loopx.store.connection import Connection


def closure_facts(db: Connection, goal: Goal, *, glance: bool = False) -> ClosureFacts:
    """What is left of the goal, from kept counts.

    `glance` leaves unstated follow-ups out while anything is open: finding them may visit every done todo.
    """
    counts = class_counts(db, goal.goal_id)
    is_open = any(count.unfinished for count in counts.values())

    def opened(task_class: TaskClass) -> int:
        return counts[task_class].open if task_class in counts else 0

    return ClosureFacts(
        total=has_todos(db, goal.goal_id),
        open_work=opened(TaskClass.ADVANCEMENT),
        open_monitors=opened(TaskClass.MONITOR),
        open_blockers=opened(TaskClass.BLOCKER),
        open_gates=opened(TaskClass.USER_GATE),
        open_user_actions=opened(TaskClass.USER_ACTION),
        blocked=sum(count.blocked for count in counts.values()),
        deferred=sum(count.deferred for count in counts.values()),
        unstated=() if glance and is_open else tuple(gap.todo_id for gap in follow_gaps(db, goal.goal_id)),
        unmet_criteria=unmet_criteria(db, goal),
    )
