"""Outside facts that resume conditions read: recorded by whoever saw them, with evidence (W10.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.page import Page
from loopx.core.command import command
from loopx.core.errors import EvidenceRequiredError, UsageError
from loopx.core.instant import format_instant
from loopx.core.name import normalise_name
from loopx.core.resume import ResumeKind, canonical_ref
from loopx.core.text import checked_text
from loopx.store.derived import settle_waiters
from loopx.store.query import Filter, total_of

if TYPE_CHECKING:
    from loopx.app.project import Project, Snapshot

FACT_SCHEMA = "fact_v1"
FACT_LIST_SCHEMA = "fact_list_v1"
_KNOWN_OTHERWISE = (ResumeKind.TODO_DONE, ResumeKind.CAPACITY_AVAILABLE, ResumeKind.AT, "in")


def record_fact(project: Project, call: Call, spelling: str, evidence: str | None) -> Document:
    """Record that something outside is so; what waits for it wakes in the same instant.

    UsageError for a fact that is known without being told, EvidenceRequiredError without evidence.
    """

    def change(work: Work) -> Outcome:
        work.refuse_stranger()
        fact = parse_fact(spelling)
        if evidence is None:
            raise EvidenceRequiredError("a fact states where it was seen", hint="Say it with --evidence.")
        text = checked_text(evidence, field="evidence")
        author = work.actor.agent_id or work.actor.kind.value
        record = {"fact": fact, "evidence": text, "recorded_by": author, "recorded_at": work.now}
        work.tx.put("facts", ("fact",), record)
        kind, _, ref = fact.partition(":")
        settle_waiters(work.tx.db, kind, ref, holds=True)
        body: Document = {"schema_version": FACT_SCHEMA, "ok": True, "fact": _document(fact, text, author, work.now)}
        return Outcome(body, next_command=command("fact", "list"))

    return mutate(project, call, change)


def list_facts(project: Project, page: Page) -> Document:
    """What has been recorded, in the order of names."""

    def query(snapshot: Snapshot) -> Document:
        sql = "SELECT fact, evidence, recorded_by, recorded_at FROM facts WHERE fact > ? ORDER BY fact LIMIT ?"
        rows = snapshot.db.execute(sql, (page.cursor or "", page.limit + 1)).fetchall()
        shown = rows[: page.limit]
        truncated = len(rows) > page.limit
        return {
            "schema_version": FACT_LIST_SCHEMA,
            "ok": True,
            "facts": [_document(*row) for row in shown],
            "total": total_of(snapshot.db, "facts", Filter()),
            "truncated": truncated,
            "next_cursor": shown[-1][0] if truncated else None,
            "state": snapshot.state,
        }

    return project.read(query)


def parse_fact(spelling: str) -> str:
    """The canonical `kind:ref`; UsageError with the accepted form."""
    kind, _, typed = spelling.strip().partition(":")
    ref = canonical_ref(typed)
    if ref is None:
        raise UsageError(f"{spelling!r} is not a fact", hint="A fact is kind:ref, such as pr_merged:project#12.")
    if kind in tuple(_KNOWN_OTHERWISE):
        raise UsageError(f"{kind} is known without being told", hint="Record outside facts, such as pr_merged:REF.")
    return f"{normalise_name(kind, what='fact')}:{ref}"


def _document(fact: str, evidence: str, recorded_by: str, recorded_at: int) -> Document:
    return {
        "fact": fact,
        "evidence": evidence,
        "recorded_by": recorded_by,
        "recorded_at": format_instant(recorded_at),
    }
