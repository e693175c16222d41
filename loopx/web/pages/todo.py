"""One todo: what it is, why it may or may not run for each agent, what is around it, what happened to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.decide import Question, why_todo
from loopx.app.log import LogFilter, read_recent
from loopx.app.question import read_question
from loopx.app.surroundings import read_surroundings
from loopx.app.todo_show import show_todo
from loopx.core.errors import LoopxError
from loopx.render.width import harmless
from loopx.web.pages.graph import picture
from loopx.web.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.app.surroundings import Surroundings
    from loopx.web.view import Asked

AGENTS_ASKED = 8  # each is a decision of its own; the page links to the others
EVENTS_SHOWN = 20

# What each edge says of the todo at its end, and of the one at its start.
_RELATIONS = {
    "blocks": ("waits for", "holds up"),
    "followed_by": ("came out of", "is followed by"),
    "replaced_by": ("replaces", "was replaced by"),
    "frees": ("is freed by", "frees"),
}
_TOLD = (
    "waits for", "holds up", "is freed by", "frees", "came out of", "is followed by", "replaces", "was replaced by",
)  # fmt: skip

# Shown by their own parts of the page.
_PLACED = frozenset(
    (
        "todo_id", "goal_id", "sequence", "role", "task_class", "status", "closure", "priority", "text", "claimed_by",
        "claim_expires_at", "claim_stale", "lease", "blocked_by", "predecessor", "successors", "superseded_by",
        "unblocks_todo_id", "decision", "evidence", "completion_rationale", "acceptance", "created_at", "updated_at",
        "closed_at", "version", "marks", "attempt_notes", "unmet_dependencies",
    )
)  # fmt: skip
_DEFAULTS = {"continuation_policy": "independent_handoff"}
_INSTANTS = ("next_due_at", "expires_at", "archived_at")


def todo(project: Project, asked: Asked) -> View:
    """The whole todo. TodoNotFoundError, UsageError where several fit."""
    shown = show_todo(project, asked.todo_id)["todo"]
    around = read_surroundings(project, shown["todo_id"])
    values = {
        "todo": shown,
        "facts": list(_facts(shown)),
        "question": read_question(project, shown["todo_id"]),
        "whys": _whys(project, shown, asked.word("agent")),
        "relations": _relations(shown["todo_id"], around),
        "around": around,
        "picture": picture(around.nodes, around.edges) if len(around.nodes) > 1 else None,
        "events": read_recent(project, LogFilter(todo_id=shown["todo_id"]), limit=EVENTS_SHOWN),
    }
    return View("todo.html", harmless(shown["text"][:60]), values, shown["goal_id"], here="todos")


def _facts(shown: Mapping[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """Every other field that says something, and whether it is an instant."""
    for name, value in shown.items():
        if name not in _PLACED and value not in (None, [], 0, False) and _DEFAULTS.get(name) != value:
            yield name.replace("_", " "), value, name in _INSTANTS


def _whys(project: Project, shown: Mapping[str, Any], named: str | None) -> Document:
    """The stages for each agent, the holder first, or for the one that is named; nothing for what is closed.

    Whoever looks is not the agent: where it would work and what it brings along are left out.
    """
    if shown["closure"] is not None or shown["role"] == "user":
        return {"asked": [], "others": []}
    agents = _active_agents(project, shown["goal_id"])
    first = named or shown["claimed_by"]
    agents.sort(key=lambda agent_id: agent_id != first)
    chosen = agents[: 1 if named else AGENTS_ASKED]
    return {
        "asked": [(agent_id, _why(project, shown, agent_id)) for agent_id in chosen],
        "others": agents[len(chosen) :],
    }


def _active_agents(project: Project, goal_id: str) -> list[str]:
    """Who could do it; nobody where the goal was taken out of the registry."""
    goal = project.read(lambda snapshot: snapshot.registry.find(goal_id))
    return [agent.agent_id for agent in goal.active_agents] if goal is not None else []


def _why(project: Project, shown: Mapping[str, Any], agent_id: str) -> Document:
    question = Question(shown["goal_id"], agent_id)
    try:
        return why_todo(project, question, shown["todo_id"])
    except LoopxError as exc:
        return {"refused": exc.code}


def _relations(todo_id: str, around: Surroundings) -> list[tuple[str, list[Document]]]:
    """The todos next to this one, by what they are to it."""
    nodes = {node["todo_id"]: node for node in around.nodes}
    found: dict[str, list[Document]] = {}
    for edge in around.edges:
        backwards, forwards = _RELATIONS[edge["kind"]]
        if edge["to"] == todo_id:
            found.setdefault(backwards, []).append(nodes[edge["from"]])
        elif edge["from"] == todo_id:
            found.setdefault(forwards, []).append(nodes[edge["to"]])
    return [(name, found[name]) for name in _TOLD if name in found]
