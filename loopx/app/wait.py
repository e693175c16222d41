"""`should-run --wait`: ask again when the state changes or an instant comes, never in a busy loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.decide import Question, should_run
from loopx.core.instant import MILLISECOND, Duration, parse_instant

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.page import Page
    from loopx.app.project import Project
    from loopx.ports import Sleeper

GLANCE: Duration = 200 * MILLISECOND  # a glance at the change mark costs microseconds


def wait_to_run(
    project: Project, question: Question, wait: Duration, *, explained: Page | None, sleeper: Sleeper
) -> Document:
    """The first decision that says yes, or the one that holds after `wait` microseconds."""
    mark = state_mark(project)  # before the look, so that no change falls between the two
    document = should_run(project, question, explained=explained)
    left = wait
    while left > 0 and not document["should_run"]:
        nap = min(GLANCE, left)
        sleeper.sleep(nap)
        left -= nap
        seen = state_mark(project)
        if seen != mark or _has_come(project, document):
            mark = seen
            document = should_run(project, question, explained=explained)
    return document


def state_mark(project: Project) -> tuple[object, ...]:
    """What differs once anybody has changed the database or the registry."""
    return (*project.store.change_mark(), *project.registry_text.mark())


def _has_come(project: Project, document: Document) -> bool:
    """Whether the instant has come at which the decision may change by itself."""
    wake = document["scheduler_hint"]["next_wake_at"]
    now = project.now()
    return wake is not None and parse_instant(wake, now=now) <= now
