"""A todo's own check: it passes before the todo is completed, and no lock is held while it runs (cli.md).

The completion is carried out twice. The first time, without a proof, it meets every other refusal and
is then rolled back; the second time it brings the proof that the check has passed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.core.errors import UsageError, ValidationFailedError, VersionConflictError
from loopx.core.instant import MILLISECOND, format_duration
from loopx.core.todo import Validation
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.project import Project
    from loopx.core.todo import Todo
    from loopx.workspace.process import Finished

NOT_RUN = "the validation command was not run: a dry run starts nothing"

Notes = tuple[tuple[str, object], ...]


class Proof(Value):
    """A check that has passed, and what its event says of it."""

    validation: Validation
    notes: Notes


class ProofMissingError(Exception):
    """Rolls a completion back that brings no proof yet; it never leaves this module."""

    def __init__(self, validation: Validation) -> None:
        super().__init__(validation)
        self.validation = validation


def mutate_with_proof(
    project: Project, call: Call, folder: str | None, change: Callable[[Work, Proof | None], Outcome]
) -> Document:
    """Carry out a change that may ask for a proof, which is then made in that folder.

    ValidationFailedError where the check does not end with 0 in its time.
    """
    try:
        return mutate(project, call, lambda work: change(work, None))
    except ProofMissingError as missing:
        validation = missing.validation
    proof = prove(validation, folder)
    return mutate(project, call, lambda work: change(work, proof))


def demand_proof(work: Work, todo: Todo, proof: Proof | None) -> Notes:
    """What the event says of the check; VersionConflictError where it is not the todo's any more.

    A dry run asks for none.
    """
    if proof is not None:
        if todo.validation != proof.validation:
            raise VersionConflictError(
                f"the validation command of {todo.todo_id} was changed while it ran",
                hint="Complete it again, so that the new command runs.",
                todo_id=todo.todo_id,
            )
        return proof.notes
    if todo.validation is not None and not work.call.dry_run:
        raise ProofMissingError(todo.validation)
    return ()


def prove(validation: Validation, folder: str | None) -> Proof:
    """Run the check in the folder; ValidationFailedError, UsageError where the folder does not exist."""
    from loopx.workspace.process import run_to_end  # only where there is a check

    if folder is None or not os.path.isdir(folder):
        raise UsageError("the folder in which to validate does not exist", hint="Name the workspace with --workspace.")
    finished = run_to_end(validation.argv, folder, validation.timeout)
    facts = {
        "argv": list(validation.argv),
        "exit_code": finished.exit_code,
        "duration_ms": finished.duration // MILLISECOND,
        "output_sha256": finished.output_sha256,
        "output_bytes": finished.output_bytes,
    }
    if finished.exit_code != 0:
        raise _failure(validation, finished, facts)
    return Proof(validation, (("validation", facts),))


def _failure(validation: Validation, finished: Finished, facts: Document) -> ValidationFailedError:
    how = (
        f"did not end within {format_duration(validation.timeout)}"
        if finished.exit_code is None
        else f"ended with {finished.exit_code}"
    )
    return ValidationFailedError(
        f"the validation command {validation.argv[0]!r} {how}",
        hint="Mend what it found and complete again; the end of its output is in `output_tail`.",
        **facts,
        timed_out=finished.exit_code is None,
        output_tail=finished.tail,
    )
