"""What the board shows, as plain text: cards, and a todo in detail. Text of others is never markup here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from loopx.app.board import Board, Lane, LaneName, read_board
from loopx.app.decide import Question, why_todo
from loopx.app.todo_show import show_todo
from loopx.render.width import harmless, harmless_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopx.app.project import Project

Document = dict[str, Any]

TITLES = {
    LaneName.FOR_YOU: "For you",
    LaneName.READY: "Ready",
    LaneName.IN_HAND: "In hand",
    LaneName.WAITING: "Waiting",
    LaneName.LATER: "Later",
    LaneName.CLOSED: "Closed",
}
_COLOURS = {"GATED": "bold yellow", "LEASED": "bold cyan", "STALE": "bold red"}
_AGENTS_SHOWN = 5  # whose view of a todo is told


def filtered(board: Board, words: str) -> tuple[Lane, ...]:
    """The lanes with the cards that hold the words, in text, id or holder; all of them for no words."""
    wanted = words.strip().casefold()
    if not wanted:
        return board.lanes
    return tuple(
        lane._replace(cards=tuple(card for card in lane.cards if _holds(card, wanted))) for lane in board.lanes
    )


def _holds(card: Document, wanted: str) -> bool:
    return any(wanted in str(card.get(name) or "").casefold() for name in ("text", "todo_id", "claimed_by"))


def heading(lane: Lane) -> str:
    """The lane's name and how many are in it."""
    number = len(lane.cards) if lane.total is None else lane.total
    return f"{TITLES[lane.name]} ({number}{'+' if lane.total is None else ''})"


def card_text(card: Document) -> Text:
    """Priority, marks with who must act, and the first line."""
    text = Text(no_wrap=False)
    text.append(f"{card['priority']} ", "bold")
    for mark in card.get("marks", ()):
        text.append(f"{mark['mark']} {harmless(str(mark['who']))} ", _COLOURS.get(mark["mark"], "bold"))
    text.append(harmless(str(card["text"]).split("\n", 1)[0]))
    if card.get("reason_code"):
        text.append(f"\n{card['reason_code']}", "dim")
    return text


def detail_text(project: Project, todo_id: str) -> Text:
    """The whole todo, and for each agent whether it may run it and where it stops."""
    todo = show_todo(project, todo_id)["todo"]
    text = Text()
    for line in harmless_lines(str(todo["text"])):
        text.append(f"{line}\n", "bold")
    for name, value in _facts(todo):
        text.append(f"\n{name:<14}", "dim")
        text.append(harmless(value))
    text.append("\n")
    for view in _views(project, todo):
        text.append_text(view)
    return text


def _facts(todo: Document) -> Iterator[tuple[str, str]]:
    yield "id", todo["todo_id"]
    yield "state", f"{todo['priority']} {todo['status']} {todo['task_class']}"
    for name in ("claimed_by", "decision_scope", "blocks_agent", "evidence", "closure", "completion_rationale"):
        if todo.get(name):
            yield name.replace("_", " "), str(todo[name])
    for name in ("blocked_by", "unmet_dependencies", "required_capabilities", "required_decision_scopes", "successors"):
        if todo.get(name):
            yield name.replace("_", " "), ", ".join(str(one) for one in todo[name])
    if todo.get("lease"):
        yield "lease", f"{todo['lease']['holder']} until {todo['lease']['expires_at']}"


def _views(project: Project, todo: Document) -> Iterator[Text]:
    if todo["role"] != "agent" or todo["closure"] is not None:
        return
    goal = project.read(lambda snapshot: snapshot.registry.goal(todo["goal_id"]))
    for agent in goal.active_agents[:_AGENTS_SHOWN]:
        why = why_todo(project, Question(goal.goal_id, agent.agent_id, None, None), todo["todo_id"])
        failed = next((stage for stage in why["stages"] if not stage["passed"]), None)
        line = Text(f"\n{harmless(agent.agent_id):<14}")
        line.append("may run it" if failed is None else f"stops at {failed['stage']}: {failed['reason_code']}",
                    "green" if failed is None else "yellow")  # fmt: skip
        yield line


def board_of(project: Project, goal_id: str | None) -> Board:
    """The lanes as they are now; six of them stay below 500 cards."""
    return read_board(project, goal_id)
