"""A `backlog` folder: four date spellings, folded titles, padded ids, ids used twice, files without front matter."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.support.foreign.words import paragraph, words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SIZES = {"tasks": 148, "completed": 455, "drafts": 16, "archive/tasks": 55}  # 674, and four without front matter
TWICE = 10  # ids that stand in `completed` and in `archive` again
CONFIG = """\
project_name: "Corpus"
default_status: "To Do"
statuses: ["To Do", "In Progress", "Done"]
labels: []
date_format: yyyy-mm-dd hh:mm
task_prefix: "back"
remote_operations: false
"""
_STATUSES = {
    "tasks": ("To Do", "In Progress", '"Done"', "To do"),
    "drafts": ("Draft", "To Do"),
    "archive/tasks": ("To Do", "Done"),
}


def backlog_files(seed: int = 1) -> dict[str, str]:
    """Texts by their path below the project."""
    random = Random(seed)
    files = {"backlog/config.yml": CONFIG}
    number = 0
    for folder, size in SIZES.items():
        for place in range(size):
            number += 1
            is_again = folder.startswith("archive") and place < TWICE
            task_id = (
                f"DRAFT-{place + 1}"
                if folder == "drafts"
                else f"BACK-{place + SIZES['tasks'] + 1 if is_again else number}"
            )
            files |= _task(random, folder, task_id, number)
        files[f"backlog/{folder}/readme.md"] = "# What lies here\n\n- [ ] no task\n"
    return files


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write them below the folder."""
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data if isinstance(data, bytes) else data.encode())


def task_text(front: str, body: str = "## Description\n\nWords.\n") -> str:
    """A file of one task."""
    return f"---\n{front.strip()}\n---\n\n{body}"


def _task(random: Random, folder: str, task_id: str, number: int) -> dict[str, str]:
    title = words(random, 5).replace('"', "").replace("\\", "")
    status = random.choice(_STATUSES.get(folder, ("Done", "Done", "Won't Do")))
    front = "\n".join(
        [
            f"id: {task_id}",
            _title(random, f"Task {number} {title}"),
            f"status: {status}",
            random.choice(("assignee: []", "assignee:\n  - '@ann'\n  - bob", "assignee: '@ann'")),
            f"created_date: {_date(random)}",
            f"updated_date: {_date(random)}",
            random.choice(("labels: []", "labels:\n  - backend\n  - größe", "labels: [backend, 'two words']")),
            f"dependencies:\n  - {_padded(random, number)}" if number > 600 else "dependencies: []",
            f"priority: {random.choice(('high', 'medium', 'low'))}",
            f"ordinal: {number}000",
        ]
    )
    boxes = "\n".join(f"- [{'x' if folder == 'completed' else ' '}] #{at} {words(random, 4)}" for at in range(1, 6))
    body = (
        f"## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n{paragraph(random, 300)}\n"
        f"<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n{boxes}\n<!-- AC:END -->\n\n"
        f"## Implementation Notes\n\n{paragraph(random, 200)}\n"
    )
    return {f"backlog/{folder}/{task_id.lower()} - Task-{number}-{folder[:4]}.md": task_text(front, body)}


def _title(random: Random, title: str) -> str:
    plain = "".join(letter for letter in title if letter.isalnum() or letter == " ").strip()
    return random.choice((f"title: {plain}", f'title: "{title}"', f"title: >-\n  {plain}\n  goes on"))


def _date(random: Random) -> str:
    day = f"2025-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    return random.choice((f"'{day} 14:33'", f"'{day}'", day, f'"{day} 09:05"'))


def _padded(random: Random, number: int) -> str:
    return random.choice(("BACK-{:03}", "back-{}", "{}")).format(random.randrange(1, number))
