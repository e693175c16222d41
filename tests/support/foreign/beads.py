"""`issues.jsonl` as a large real project has it: mostly tombstones, few edges, some of them to nothing."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.support.foreign.words import paragraph, stamp, words

ISSUES, TOMBSTONES, EDGES, DANGLING = 2_403, 3_319, 1_024, 55
EDGE_TYPES = (
    *("blocks", "parent-child", "conditional-blocks", "waits-for", "related", "discovered-from", "replies-to"),
    *("relates-to", "duplicates", "supersedes", "authored-by", "assigned-to", "approved-by", "attests", "tracks"),
    *("until", "caused-by", "validates", "delegated-from"),
)
_STATUSES = ("open", "open", "in_progress", "blocked", "closed", "closed", "closed", "deferred", "hooked", "pinned")
_TYPES = ("task", "bug", "feature", "epic", "chore", "molecule", "spike", "homegrown")


def beads_file(
    seed: int = 1, *, issues: int = ISSUES, tombstones: int = TOMBSTONES, edges: int = EDGES, dangling: int = DANGLING
) -> bytes:
    """So many lines and edges; edges point to earlier issues, so that there is no cycle."""
    random = Random(seed)
    living = [_issue(random, f"bd-{number}" if number % 3 else f"old-proj-{number:x}.1") for number in range(issues)]
    for _ in range(edges - dangling if issues > 1 else 0):
        source = random.randrange(1, issues)
        _add_edge(random, living[source], str(living[random.randrange(source)]["id"]))
    for number in range(dangling):
        _add_edge(random, living[random.randrange(issues)], f"bd-gone-{number}", "blocks")
    rows = living + [_tombstone(random, f"bd-dead{number}") for number in range(tombstones)]
    random.shuffle(rows)
    return lines(*rows)


def issue(issue_id: str, title: str = "Write it", **more: Any) -> dict[str, Any]:
    """The least that every issue has, and more."""
    return {
        "id": issue_id,
        "title": title,
        "status": "open",
        "priority": 2,
        "issue_type": "task",
        "created_at": "2025-03-01T10:00:00Z",
        "updated_at": "2025-03-01T10:00:00Z",
        **more,
    }


def edge(source: str, target: str, kind: str = "blocks") -> dict[str, Any]:
    """An edge with nothing but its ends and type."""
    return {"issue_id": source, "depends_on_id": target, "type": kind}


def lines(*rows: dict[str, Any]) -> bytes:
    """An object a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _issue(random: Random, issue_id: str) -> dict[str, Any]:
    row = issue(
        issue_id,
        words(random, 8),
        status=random.choice(_STATUSES),
        priority=random.randrange(5),
        issue_type=random.choice(_TYPES),
        created_at=stamp(random),
        updated_at=stamp(random),
        content_hash=f"{random.getrandbits(256):064x}",
    )
    if random.random() > 0.04:
        row["description"] = paragraph(random, 11_000 if random.random() < 0.01 else 400)
    if random.random() < 0.3:
        row |= {"labels": ["backend", "größe"], "assignee": "ann", "acceptance_criteria": "- one\n- [x] two"}
    if random.random() < 0.1:
        row["comments"] = [{"id": 7, "issue_id": issue_id, "author": "bob", "text": "see", "created_at": stamp(random)}]
    return row


def _add_edge(random: Random, row: dict[str, Any], target: str, kind: str | None = None) -> None:
    made = edge(str(row["id"]), target, kind or random.choice(EDGE_TYPES))
    row.setdefault("dependencies", []).append({**made, "created_at": stamp(random), "created_by": "ann"})


def _tombstone(random: Random, issue_id: str) -> dict[str, Any]:
    dead = issue(issue_id, words(random, 4), status="tombstone", updated_at=stamp(random))
    return {
        **dead,
        "description": paragraph(random, 150),
        "deleted_at": stamp(random),
        "deleted_by": "ann",
        "delete_reason": "batch delete",
        "original_type": "task",
    }
