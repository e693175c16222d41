"""A person's answer to a gate, from the page's form into the same use case as the command line's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from loopx.app.gate_answer import Answer, answer_gate
from loopx.app.mutation import Call
from loopx.app.todo_show import show_todo
from loopx.core.errors import LoopxError, UsageError
from loopx.core.todo import Verdict

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.core.actor import Actor
    from loopx.web.view import Asked

_FIELDS = frozenset(("proof", "operation_id", "decision", "note", "standing", "back"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What the form says; `proof` and `back` are the page's own."""

    proof: str
    operation_id: str
    answer: Answer
    back: str


def read_form(body: bytes) -> Form:
    """The form of a body; UsageError for one that is not ours."""
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict",
                          max_num_fields=len(_FIELDS))  # fmt: skip
    except ValueError as exc:
        raise _not_ours() from exc
    words = dict(pairs)
    if len(words) != len(pairs) or not words.keys() <= _FIELDS or words.get("decision") not in tuple(Verdict):
        raise _not_ours()
    note = words.get("note", "").replace("\r\n", "\n")
    return Form(
        proof=words.get("proof", ""),
        operation_id=words.get("operation_id", ""),
        answer=Answer(Verdict(words["decision"]), note if note.strip() else None, "standing" in words),
        back=local_path(words.get("back", "/")),
    )


def record(project: Project, actor: Actor, todo_id: str, form: Form, *, role: str | None) -> Document:
    """Carry the answer out, once for each form that was shown; the refusals are those of `answer_gate`."""
    answer = form.answer
    call = Call(
        action="gate_answered",
        actor=actor,
        intent=["dashboard", todo_id, answer.verdict.value, answer.note, answer.standing],
        operation_id=form.operation_id,
        role=role,
    )
    return answer_gate(project, call, todo_id, answer)


def receipt(project: Project, asked: Asked) -> Document | None:
    """What was just recorded, as the state has it: the address only names the gate."""
    todo_id = asked.word("answered")
    if todo_id is None:
        return None
    try:
        todo = show_todo(project, todo_id)["todo"]
    except LoopxError:
        return None
    return todo if todo["decision"] is not None else None


def local_path(text: str) -> str:
    """The path if it leads into this site, otherwise its start: no address of others is ever followed."""
    is_local = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable() and text.isascii()
    return text if is_local else "/"


def _not_ours() -> UsageError:
    return UsageError("this is no form of the dashboard", hint="Load the page again and answer there.")
