"""The board as an application: six lanes, a filter, a detail, and answers to gates; live."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import App
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from loopx.app.gate_answer import answer_gate
from loopx.app.mutation import Call
from loopx.app.wait import GLANCE, state_mark
from loopx.core.errors import LoopxError
from loopx.core.instant import SECOND
from loopx.render.width import harmless
from loopx.tui.answer import AnswerScreen
from loopx.tui.view import TITLES, board_of, card_text, detail_text, filtered, heading

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from loopx.app.gate_answer import Answer
    from loopx.app.project import Project
    from loopx.core.actor import Actor

_STYLE = """
#lanes { height: 2fr; }
OptionList { width: 1fr; border: round $primary; }
OptionList:focus { border: round $accent; }
#detail { height: 1fr; border: round $secondary; padding: 0 1; }
#filter { display: none; }
#filter.shown { display: block; }
#question { width: 70%; height: auto; border: thick $accent; background: $surface; padding: 1 2; }
AnswerScreen { align: center middle; }
"""


class BoardApp(App[None]):
    """The lanes of one goal. A person answers gates here; under an agent's identity it only shows."""

    CSS = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [
        ("slash", "filter", "Filter"),
        ("a", "answer", "Answer the gate"),
        ("r", "reload", "Reload"),
        ("q", "quit", "Quit"),
    ]

    def __init__(self, project: Project, goal_id: str | None, *, actor: Actor, role: str | None = None) -> None:
        super().__init__()
        self._project, self._actor, self._role = project, actor, role
        self._mark = state_mark(project)
        self._board = board_of(project, goal_id)
        self._words = ""
        self.title = self._board.goal_id

    def compose(self) -> ComposeResult:
        yield Input(placeholder="filter: words of the text, an id, an agent", id="filter")
        with Horizontal(id="lanes"):
            for name in TITLES:
                yield OptionList(id=name.value, markup=False)
        with VerticalScroll(id="detail"):
            yield Static(id="shown", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Show what is there, and look for changes a few times a second."""
        self._fill()
        self.query_one("#ready", OptionList).focus()
        self.set_interval(GLANCE / SECOND, self.look)

    def look(self) -> None:
        """Show the state anew where anybody has changed it since."""
        mark = state_mark(self._project)
        if mark != self._mark:
            self._mark = mark
            self.action_reload()

    def action_reload(self) -> None:
        """Read the board again; what cannot be read is told and the old one stays."""
        try:
            self._board = board_of(self._project, self._board.goal_id)
        except LoopxError as exc:
            self._tell(exc)
            return
        self._fill()

    def action_filter(self) -> None:
        """Ask for words."""
        field = self.query_one("#filter", Input)
        field.add_class("shown")
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the lanes while the words are typed."""
        if event.input.id == "filter":
            self._words = event.value
            self._fill()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Back to the lanes."""
        if event.input.id == "filter":
            event.input.set_class(bool(self._words), "shown")
            self.query_one("#ready", OptionList).focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the todo that the cursor is on."""
        if event.option_list.has_focus and event.option.id is not None:
            self._show(event.option.id)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The same by Enter or a click."""
        if event.option.id is not None:
            self._show(event.option.id)

    def action_answer(self) -> None:
        """Ask for the answer to the gate under the cursor."""
        lane = self.query_one("#for_you", OptionList)
        chosen = lane.highlighted
        cards = {card["todo_id"]: card for card in filtered(self._board, self._words)[0].cards}
        if not lane.has_focus or chosen is None:
            self.notify("Put the cursor on a gate in the first lane.", markup=False)
            return
        card = cards[str(lane.get_option_at_index(chosen).id)]
        if card["task_class"] != "user_gate":
            self.notify("This is an action, not a gate: `loopx todo complete` says that it is done.", markup=False)
            return
        question = Text(harmless(str(card["text"])), "bold")
        self.push_screen(AnswerScreen(question), lambda answer: self._record(card["todo_id"], answer))

    def _record(self, todo_id: str, answer: Answer | None) -> None:
        if answer is None:
            return
        call = Call(action="gate_answered", actor=self._actor, intent=["board", todo_id, *answer], role=self._role)
        try:
            answer_gate(self._project, call, todo_id, answer)
        except LoopxError as exc:
            self._tell(exc)
        self.action_reload()

    def _fill(self) -> None:
        for lane in filtered(self._board, self._words):
            shown = self.query_one(f"#{lane.name.value}", OptionList)
            at = shown.highlighted
            shown.border_title = heading(lane)
            shown.clear_options()
            shown.add_options([Option(card_text(card), id=card["todo_id"]) for card in lane.cards])
            if at is not None and lane.cards:
                shown.highlighted = min(at, len(lane.cards) - 1)

    def _show(self, todo_id: str) -> None:
        try:
            self.query_one("#shown", Static).update(detail_text(self._project, todo_id))
        except LoopxError as exc:
            self._tell(exc)

    def _tell(self, exc: LoopxError) -> None:
        self.notify(harmless(f"{exc.message}. {exc.hint or ''}"), severity="error", markup=False)
