"""`todo stats`: what flows as sparklines, what stands as short lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Gap, Span, Tone, facts, line, table, title
from loopx.render.sparkline import sparkline
from loopx.render.words import class_word, seconds_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Document = Mapping[str, Any]

_ENDS = (("completed", Tone.GOOD), ("failed", Tone.BAD), ("superseded", Tone.QUIET))
_AMOUNTS = ("slots", "tokens", "cost", "seconds")


def figures(document: Document) -> Iterator[Block]:
    """`todo stats`."""
    yield title(f"{document['goal_id']} at {document['at']}")
    yield facts([("now", _numbers(document["now"])), *_counts(document["counts"])])
    yield from _waiting(document["waiting"])
    yield from _flow(document)
    yield from _oldest(document["oldest_open"])
    yield from _spend(document)


def _counts(counts: Document) -> Iterator[tuple[str, str]]:
    yield "status", _numbers(counts["by_status"])
    yield "class", _unfinished({class_word(name): row for name, row in counts["by_class"].items()})
    yield "priority", _unfinished(counts["by_priority"])
    yield "role", _unfinished(counts["by_role"])
    yield "archived", str(counts["archived"] or "")


def _numbers(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in numbers.items() if number) or "nothing"


def _unfinished(rows: Mapping[str, Mapping[str, int]]) -> str:
    told = (f"{row['unfinished']} {name}" for name, row in rows.items() if row["unfinished"])
    return ", ".join(told)


def _waiting(causes: Sequence[Document]) -> Iterator[Block]:
    if causes:
        yield Gap()
        yield title("What work waits for")
        yield table(("todos", "cause"), ([str(row["todos"]), row["reason_code"].replace("_", " ")] for row in causes))


def _flow(document: Document) -> Iterator[Block]:
    days = document["throughput"]
    yield Gap()
    yield title(f"Since {document['since']}, a bar each UTC day")
    yield table(("ended", "todos", "by day"), (_ended(days, name, tone) for name, tone in _ENDS))
    yield facts((name.replace("_", " "), _spread(found)) for name, found in document["cycle_time"].items())


def _ended(days: Sequence[Document], name: str, tone: Tone) -> list[str | Span]:
    numbers = [day[name] for day in days]
    return [name, str(sum(numbers)), Span(sparkline(numbers), tone if any(numbers) else Tone.QUIET)]


def _spread(found: Document) -> str:
    if not found["todos"]:
        return ""
    median, p90 = seconds_word(found["median_seconds"]), seconds_word(found["p90_seconds"])
    return f"median {median}, 90 % within {p90} ({found['todos']} todos)"


def _oldest(todos: Sequence[Document]) -> Iterator[Block]:
    if todos:
        yield Gap()
        yield title("Oldest open")
        columns = ("todo", "pri", "class", "age", "text")
        yield table(columns, (_aged(todo) for todo in todos))


def _aged(todo: Document) -> list[str | Span]:
    name = Span(todo["todo_id"], Tone.STRONG)
    return [name, todo["priority"], class_word(todo["task_class"]), seconds_word(todo["age_seconds"]), todo["text"]]


def _spend(document: Document) -> Iterator[Block]:
    agents = document["spend"]
    if not agents:
        return
    days = [day["day"] for day in document["throughput"]]
    yield Gap()
    yield title("Spend")
    yield table(("agent", *_AMOUNTS, "slots by day"), (_spent(agent, days) for agent in agents))
    rest = document["spend_total"] - len(agents)
    if rest:
        yield line(Span(f"{rest} more agents are not shown", Tone.ALERT))


def _spent(agent: Document, days: Sequence[str]) -> list[str | Span]:
    slots = {row["day"]: row["slots"] for row in agent["days"]}
    bars = sparkline([slots.get(day, 0) for day in days])
    return [Span(agent["agent_id"], Tone.STRONG), *(f"{agent[name]:g}" for name in _AMOUNTS), bars]
