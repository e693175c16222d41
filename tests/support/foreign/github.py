"""Issues as GitHub gives them, pull requests among them, in both dialects."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.support.foreign.words import paragraph, words

REPOSITORY = "example/corpus"


def rest_issue(number: int, title: str = "Write it", body: str | None = None, **more: Any) -> dict[str, Any]:
    """An issue of the REST interface."""
    address = f"https://github.com/{REPOSITORY}/issues/{number}"
    return {
        "url": f"https://api.github.com/repos/{REPOSITORY}/issues/{number}",
        "html_url": address,
        "id": 10_000 + number,
        "number": number,
        "title": title,
        "user": {"login": "ann", "id": 1, "site_admin": False},
        "labels": [],
        "state": "open",
        "state_reason": None,
        "locked": False,
        "assignees": [],
        "milestone": None,
        "comments": 0,
        "created_at": "2025-03-01T10:00:00Z",
        "updated_at": "2025-03-02T10:00:00Z",
        "closed_at": None,
        "body": body,
        **more,
    }


def gh_issue(number: int, title: str = "Write it", body: str = "", **more: Any) -> dict[str, Any]:
    """The same from `gh issue list --json`."""
    return {
        "number": number,
        "title": title,
        "body": body,
        "state": "OPEN",
        "stateReason": "",
        "labels": [],
        "assignees": [],
        "createdAt": "2025-03-01T10:00:00Z",
        "updatedAt": "2025-03-02T10:00:00Z",
        "closedAt": None,
        "url": f"https://github.com/{REPOSITORY}/issues/{number}",
        "comments": [],
        **more,
    }


def as_json(*rows: dict[str, Any]) -> bytes:
    """A file of them."""
    return json.dumps(rows, indent=1, ensure_ascii=False).encode()


def rest_file(seed: int = 1, *, issues: int = 1_000, pull_requests: int = 300) -> bytes:
    """A repository: every issue waits for an earlier one or lists it, and pull requests stand in between."""
    random = Random(seed)
    kinds = [True] * issues + [False] * pull_requests
    random.shuffle(kinds)
    rows = []
    for number, is_issue in enumerate(kinds, 1):
        row = _issue(random, number)
        if not is_issue:
            row["pull_request"] = {"url": f"https://api.github.com/repos/{REPOSITORY}/pulls/{number}"}
        rows.append(row)
    return as_json(*rows)


def _issue(random: Random, number: int) -> dict[str, Any]:
    other = random.randrange(1, number) if number > 1 else 9_999
    relation = random.choice(
        (f"Blocked by #{other}", f"Depends on: {REPOSITORY}#{other}.", f"- [ ] #{other}", "Nothing.")
    )
    body = f"<!-- a template\r\nblocked by #1 -->\r\n{paragraph(random, 300)}\r\n\r\n{relation}\r\n"
    is_closed = random.random() < 0.4
    return rest_issue(
        number,
        words(random, 6),
        body,
        state="closed" if is_closed else "open",
        state_reason=random.choice(("completed", "not_planned", None)) if is_closed else None,
        closed_at="2025-05-01T00:00:00Z" if is_closed else None,
        labels=[{"id": 1, "name": random.choice(("bug", "P1", "größe"))}],
        assignees=[{"login": "ann"}],
    )
