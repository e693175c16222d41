"""`tasks.json` of nine tags: ids as numbers and as texts, sub-tasks by their siblings, one edge to nothing."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.support.foreign.words import paragraph, words

TAGS = {
    "master": 93,
    "trial": 1,
    "hooks": 10,
    "core-1": 11,
    "start": 6,
    "flow": 23,
    "phase-0": 10,
    "rails": 10,
    "loop": 18,
}
SUBTASKS = 914
_STATUSES = ("pending", "in-progress", "done", "done", "review", "deferred", "cancelled", "blocked", "completed")


def taskmaster_file(seed: int = 1) -> bytes:
    """The whole file: 182 tasks, 914 sub-tasks, some 970 edges of which `trial` 1 -> 16 leads to nothing."""
    random = Random(seed)
    by_tag = {tag: [_task(random, number + 1) for number in range(size)] for tag, size in TAGS.items()}
    tasks = [task for of_tag in by_tag.values() for task in of_tag]
    for number in range(SUBTASKS):
        parts = tasks[number % len(tasks)]["subtasks"]
        parts.append(_part(random, len(parts) + 1))
    by_tag["trial"][0]["dependencies"] = [16]
    return pretty({tag: {"tasks": of_tag, "metadata": _about(tag)} for tag, of_tag in by_tag.items()})


def task(task_id: int | str, title: str = "Write it", **more: Any) -> dict[str, Any]:
    """A task with what every task has."""
    return {"id": task_id, "title": title, "status": "pending", "dependencies": [], "subtasks": [], **more}


def pretty(document: Any) -> bytes:
    """JSON over many lines, as the tool writes it."""
    return json.dumps(document, indent=2, ensure_ascii=False).encode()


def _about(tag: str) -> dict[str, Any]:
    return {"created": "2025-07-01T10:00:00.000Z", "updated": "2025-08-01T10:00:00.000Z", "description": f"Tag {tag}"}


def _task(random: Random, number: int) -> dict[str, Any]:
    return task(
        str(number) if number % 10 == 0 else number,
        words(random, 7),
        description=words(random, 20),
        details=paragraph(random, 800),
        testStrategy=words(random, 15),
        status=random.choice(_STATUSES),
        priority=random.choice(("high", "medium", "low")),
        dependencies=[_spelled(random, random.randrange(1, number))] if number > 1 else [],
        complexity=random.randrange(1, 10),
    )


def _part(random: Random, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "title": words(random, 6),
        "description": words(random, 12),
        "details": paragraph(random, 900),
        "status": random.choice(_STATUSES),
        "dependencies": [number - 1] if number > 1 else [],
        "parentTaskId": 1,
    }


def _spelled(random: Random, number: int) -> int | str:
    return str(number) if random.random() < 0.2 else number
