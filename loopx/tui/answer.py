"""Asking a person for the answer to one gate: approve or reject, with a note."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label

from loopx.app.gate_answer import Answer
from loopx.core.todo import Verdict

if TYPE_CHECKING:
    from rich.text import Text
    from textual.app import ComposeResult
    from textual.binding import BindingType


class AnswerScreen(ModalScreen["Answer | None"]):
    """One question; it is dismissed with the answer, or with None where the person leaves it open."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Leave it open")]

    def __init__(self, question: Text) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Label(self._question)
            yield Input(placeholder="note (optional)", id="note")
            with Horizontal():
                yield Button("Approve", id=Verdict.APPROVE.value, variant="success")
                yield Button("Reject", id=Verdict.REJECT.value, variant="error")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The person has decided."""
        note = self.query_one("#note", Input).value
        self.dismiss(Answer(Verdict(str(event.button.id)), note if note.strip() else None, standing=False))

    def action_leave(self) -> None:
        """The gate stays open."""
        self.dismiss(None)
