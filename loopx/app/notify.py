"""Telling a person that something new waits for them: a command for each item, once (`inbox --notify`).

An item counts as told once its command has ended with 0; until then the next call tries again.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING

from loopx.app.inbox import read_inbox
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.page import Page
from loopx.core.errors import UsageError
from loopx.core.instant import MINUTE, SECOND, Duration
from loopx.store.meta import remember_names, remembered_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopx.app.project import Project

_TOLD = "inbox_notified"  # the ids of all items that a person was told of
_PATIENCE: Duration = MINUTE  # a notification that hangs must not hold up the next one
_MOST = 200  # items of one call; the next call goes on


def notify_new(project: Project, call: Call, goal_id: str | None, line: str) -> tuple[list[str], list[str]]:
    """Run the command for each item that nobody was told of; the ids that were told, and a warning for each failure.

    The command gets the item as JSON on its standard input and no shell. UsageError for a line that is no command.
    """
    argv = _argv(line)
    known = project.read(lambda snapshot: set(remembered_names(snapshot.db, _TOLD)))
    items = [item for item in read_inbox(project, goal_id, Page(_MOST, None))["todos"] if item["todo_id"] not in known]
    if call.dry_run:
        return [item["todo_id"] for item in items], []
    told, warnings = [], []
    for item in items:
        fault = _fault(argv, item)
        if fault is None:
            told.append(item["todo_id"])
        else:
            warnings.append(f"{item['todo_id']}: {fault}; the next call tries again")
    if told:
        _remember(project, call, told)
    return told, warnings


def _argv(line: str) -> list[str]:
    try:
        argv = shlex.split(line)
    except ValueError as exc:
        raise UsageError(f"--notify {line!r} is no command: {exc}", hint="Quote it as for a shell.") from exc
    if not argv:
        raise UsageError("--notify names no command", hint="Give it a program, such as notify-send.")
    return argv


def _fault(argv: Sequence[str], item: Document) -> str | None:
    """What went wrong, or None."""
    words = json.dumps(item, ensure_ascii=False)
    try:
        done = subprocess.run(
            argv, input=words, encoding="utf-8", stdout=subprocess.DEVNULL, timeout=_PATIENCE / SECOND, check=False
        )
    except OSError as exc:
        return f"{argv[0]} cannot be started ({exc.strerror})"
    except subprocess.TimeoutExpired:
        return f"{argv[0]} did not end in time"
    return None if done.returncode == 0 else f"{argv[0]} ended with {done.returncode}"


def _remember(project: Project, call: Call, told: list[str]) -> None:
    def change(work: Work) -> Outcome:
        remember_names(work.tx.db, _TOLD, told)
        return Outcome({}, notes=(("told", told),))

    mutate(project, call, change)
