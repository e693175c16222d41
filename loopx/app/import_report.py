"""What an import did, or would do: counts of everything, and the first rows of what a person looks at."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from loopx.app.mutation import Document, Outcome, Work
from loopx.contracts.todo_document import id_list
from loopx.core.checklist_line import BoxState
from loopx.core.command import command
from loopx.core.import_plan import Step
from loopx.core.text import BRIEF_BYTES, cut, first_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loopx.app.import_checklist import ChecklistImport, Settled
    from loopx.core.checklist import Rejection
    from loopx.store.origins import OriginRow

IMPORT_SCHEMA = "import_v1"
_SHOWN = 20  # rows of each list; `counts` has the totals
_CHANGES = (Step.ADDED, Step.UPDATED, Step.COMPLETED)


def report(work: Work, request: ChecklistImport, settled: Sequence[Settled], gone: Sequence[OriginRow]) -> Outcome:
    """The document of the import, and what its event says."""
    counts = _counts(request, settled, gone)
    body: Document = {
        "schema_version": IMPORT_SCHEMA,
        "ok": True,
        "from": "checklist",
        "source": request.source,
        "goal_id": work.goal.goal_id,
        "counts": counts,
        "changes": _rows(row for row in settled if row.step in _CHANGES),
        "kept": _rows(row for row in settled if row.step is Step.KEPT),
        "rejected": [row_of_rejection(row) for row in request.checklist.rejections[:_SHOWN]],
        "gone": [{"todo_id": row.origin.todo_id, "text": _shown(row.text)} for row in gone[:_SHOWN]],
        **id_list("unblocked", work.tx.unblocked),
    }
    if work.call.dry_run:
        body["dry_run"] = True
    return Outcome(
        body,
        next_command=command("todo", "list", "--goal-id", work.goal.goal_id),
        warnings=tuple(_warnings(request, settled)),
        notes=(("source", request.source), ("counts", counts)),
        records=bool(work.tx.changes),
    )


def row_of_rejection(rejection: Rejection) -> Document:
    """A line that cannot be taken, on the wire."""
    return {"line": rejection.line, "reason_code": rejection.reason_code, "message": rejection.message}


def _counts(request: ChecklistImport, settled: Sequence[Settled], gone: Sequence[OriginRow]) -> dict[str, int]:
    steps = Counter(row.step for row in settled)
    return {
        "items": len(settled),
        **{step.value: steps[step] for step in Step},
        "gone": len(gone),
        "rejected": len(request.checklist.rejections),
        "ignored": request.checklist.ignored,
    }


def _rows(settled: Iterator[Settled]) -> list[Document]:
    rows = []
    for row, _ in zip(settled, range(_SHOWN), strict=False):
        item = row.planned.item
        rows.append(
            {
                "line": item.line,
                "step": row.step.value,
                "reason_code": row.reason_code,
                "todo_id": row.todo_id,
                "text": _shown(item.text),
            }
        )
    return rows


def _shown(text: str) -> str:
    return cut(first_line(text), BRIEF_BYTES)[0]


def _warnings(request: ChecklistImport, settled: Sequence[Settled]) -> Iterator[str]:
    rejected, started = len(request.checklist.rejections), _started(settled)
    if rejected and not request.skip_invalid:
        yield f"lines that cannot be taken: {rejected}; without --skip-invalid nothing will be written"
    elif rejected:
        yield f"lines that were left out: {rejected}"
    if started:
        yield f"boxes that say that work has begun: {started}; their todos are open, and a claim says who is on them"
    early = _done_too_early(settled) if request.nested else 0
    if early:
        yield f"ticked boxes around open ones: {early}; their todos are done and wait for nothing"


def _started(settled: Sequence[Settled]) -> int:
    return sum(row.step is Step.ADDED and row.planned.item.state is BoxState.STARTED for row in settled)


def _done_too_early(settled: Sequence[Settled]) -> int:
    """New done todos around open ones."""
    open_states = (BoxState.OPEN, BoxState.STARTED)
    around = {row.planned.item.parent for row in settled if row.planned.item.state in open_states}
    return sum(at in around and row.step is Step.ADDED and row.planned.seen.done for at, row in enumerate(settled))
