"""What an import did, or would do: counts of everything, and the first rows of what a person looks at."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from loopx.app.mutation import Document, Outcome, Work
from loopx.contracts.todo_document import id_list
from loopx.core.command import command
from loopx.core.errors import ImportInvalidError
from loopx.core.foreign.record import ForeignState
from loopx.core.import_plan import Step
from loopx.core.text import BRIEF_BYTES, cut, first_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loopx.app.import_records import Import, Settled
    from loopx.core.foreign.record import Note, Rejection
    from loopx.store.origins import OriginRow

IMPORT_SCHEMA = "import_v1"
_SHOWN = 20  # rows of each list; `counts` has the totals
_REFUSAL_SHOWN = 50  # rejected lines that a refusal lists
_CHANGES = (Step.ADDED, Step.UPDATED, Step.COMPLETED)
_LONGEST_MESSAGE = 400  # bytes; ids and names of a source may be long
# How a source calls begun work, and finished work around open work.
_PLAIN_WORDS = ("records that say that work has begun", "finished records around open ones")
_WORDS = {"checklist": ("boxes that say that work has begun", "ticked boxes around open ones")}


def refusal_of(request: Import) -> ImportInvalidError:
    """The refusal of a source with lines that cannot be taken; its details list them."""
    rejections = request.reading.rejections
    first = rejections[0]
    place = f"{first.path or request.source}{f', line {first.line}' if first.line else ''}"
    return ImportInvalidError(
        f"{place}: {_brief(first.message)} (lines that cannot be taken: {len(rejections)})",
        hint="Mend them, or leave them out with --skip-invalid; --dry-run lists what would be written.",
        rejected=[_remark(rejection) for rejection in rejections[:_REFUSAL_SHOWN]],
        rejected_total=len(rejections),
    )


def report(
    work: Work,
    request: Import,
    settled: Sequence[Settled],
    plan_notes: Sequence[Note],
    gone: Sequence[OriginRow],
    *,
    goal_id: str | None,
) -> Outcome:
    """The document of the import, and what its event says."""
    reading = request.reading
    notes = (*reading.notes, *plan_notes)
    counts = _counts(request, settled, notes, gone)
    body: Document = {
        "schema_version": IMPORT_SCHEMA,
        "ok": True,
        "from": request.kind,
        "source": request.source,
        "goal_id": goal_id,
        "counts": counts,
        "changes": _rows(row for row in settled if row.step in _CHANGES),
        "kept": _rows(row for row in settled if row.step is Step.KEPT),
        "rejected": [_remark(row) for row in reading.rejections[:_SHOWN]],
        "notes": [_remark(row) for row in notes[:_SHOWN]],
        "gone": [{"todo_id": row.origin.todo_id, "text": _shown(row.text)} for row in gone[:_SHOWN]],
        **id_list("unblocked", work.tx.unblocked),
    }
    if work.call.dry_run:
        body["dry_run"] = True
    return Outcome(
        body,
        next_command=command("todo", "list", *(() if goal_id is None else ("--goal-id", goal_id))),
        warnings=tuple(_warnings(request, settled)),
        notes=(("source", request.source), ("counts", counts)),
        records=bool(work.tx.changes),
    )


def _remark(row: Rejection | Note) -> Document:
    """A place and what is to be said of it, on the wire."""
    said = {"line": row.line, "reason_code": row.reason_code, "message": _brief(row.message)}
    return said if row.path is None else {"path": row.path, **said}


def _counts(
    request: Import, settled: Sequence[Settled], notes: Sequence[Note], gone: Sequence[OriginRow]
) -> dict[str, int]:
    steps = Counter(row.step for row in settled)
    return {
        "items": len(settled),
        **{step.value: steps[step] for step in Step},
        "gone": len(gone),
        "rejected": len(request.reading.rejections),
        "notes": len(notes),
        "ignored": request.reading.ignored,
    }


def _rows(settled: Iterator[Settled]) -> list[Document]:
    rows = []
    for row, _ in zip(settled, range(_SHOWN), strict=False):
        record = row.planned.record
        rows.append(
            {
                **({} if record.path is None else {"path": record.path}),
                "line": record.line,
                "step": row.step.value,
                "reason_code": row.reason_code,
                "todo_id": row.todo_id,
                "text": _shown(record.text),
            }
        )
    return rows


def _shown(text: str) -> str:
    return cut(first_line(text), BRIEF_BYTES)[0]


def _brief(message: str) -> str:
    return cut(message, _LONGEST_MESSAGE)[0]


def _warnings(request: Import, settled: Sequence[Settled]) -> Iterator[str]:
    rejected, started = len(request.reading.rejections), _started(settled)
    if rejected and not request.skip_invalid:
        yield f"lines that cannot be taken: {rejected}; without --skip-invalid nothing will be written"
    elif rejected:
        yield f"lines that were left out: {rejected}"
    begun, finished = _WORDS.get(request.kind, _PLAIN_WORDS)
    if started:
        yield f"{begun}: {started}; their todos are open, and a claim says who is on them"
    early = _done_too_early(settled) if request.nested else 0
    if early:
        yield f"{finished}: {early}; their todos are done and wait for nothing"


def _started(settled: Sequence[Settled]) -> int:
    return sum(row.step is Step.ADDED and row.planned.record.state is ForeignState.STARTED for row in settled)


def _done_too_early(settled: Sequence[Settled]) -> int:
    """New done todos around open ones."""
    open_states = (ForeignState.OPEN, ForeignState.STARTED)
    records = [row.planned.record for row in settled]
    around = {record.parent for record in records if record.state in open_states}
    return sum(
        row.planned.record.source_id in around
        and row.step is Step.ADDED
        and row.planned.record.state is ForeignState.DONE
        for row in settled
    )
