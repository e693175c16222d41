"""Short words for the wire's names, and the marks that say why a todo is not free."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Span, Tone

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLASSES = {
    "advancement_task": "task",
    "user_gate": "gate",
    "user_action": "action",
    "continuous_monitor": "monitor",
    "blocker": "blocker",
}
_CLOSURES = {"completed": "done", "completed_no_followup": "done"}  # failed and superseded are words already
_TONES = {
    "open": Tone.PLAIN,
    "done": Tone.GOOD,
    "failed": Tone.BAD,
    "superseded": Tone.QUIET,
    "blocked": Tone.ALERT,
    "deferred": Tone.QUIET,
}


_LONG_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))


def seconds_word(seconds: float) -> str:
    """The greatest unit in which it is at least one, to a tenth."""
    for length, unit in _LONG_UNITS:
        if seconds >= length:
            return f"{seconds / length:.1f}{unit}"
    return f"{seconds:.1f}s"


def class_word(task_class: str) -> str:
    """`task`, `gate`, `action`, `monitor` or `blocker`."""
    return _CLASSES[task_class]


def state_span(todo: Mapping[str, Any]) -> Span:
    """How it stands: its closure where it is closed, otherwise its status."""
    word = _CLOSURES.get(todo["closure"], todo["closure"]) or todo["status"]
    return Span(word, _TONES[word])


def holder_word(todo: Mapping[str, Any]) -> str:
    """The agent of the claim, or nobody."""
    return todo["claimed_by"] or ""


def mark_span(todo: Mapping[str, Any]) -> Span:
    """Every mark, and who must act on it."""
    marks = todo.get("marks", ())
    tone = Tone.BAD if any(mark["mark"] == "STALE" for mark in marks) else Tone.ALERT
    return Span("; ".join(mark_words(mark) for mark in marks), tone)


def mark_words(mark: Mapping[str, Any]) -> str:
    """`GATED user must answer ID`, `LEASED agent-a until TIME`, `STALE claim of agent-a …`."""
    match mark["mark"]:
        case "GATED":
            return f"GATED {_gate_words(mark)}"
        case "LEASED":
            return f"LEASED {mark['who']} until {mark['until']}"
        case _:
            return f"STALE claim of {mark['who']}; any peer may take it"


def _gate_words(mark: Mapping[str, Any]) -> str:
    if mark["by"] is None:
        return "no gate asks yet; an agent must add one"
    if mark["reason_code"] == "decision_rejected":
        return f"rejected by {mark['by']}; an agent must supersede it or ask again"
    return f"{mark['who']} must answer {mark['by']}"
