"""The dependency graph is verified whenever a foreign hand may have touched it (S1.4).

Triggers count every edit of edges and of a todo's closing; our own checked writes acknowledge the
count in the same transaction. A count that nobody acknowledged forces the full check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import GraphInvalidError

if TYPE_CHECKING:
    import sqlite3

    from loopx.core.graph import GraphFault

_SHOWN_FAULTS = 5


def is_acknowledged(db: sqlite3.Connection) -> bool:
    """Whether every edit of the graph was made by a checked write."""
    edited, checked = db.execute("SELECT edited, checked FROM graph_guard").fetchone()
    return bool(edited == checked)


def acknowledge(db: sqlite3.Connection) -> None:
    """Say that the graph as it is now was checked."""
    db.execute("UPDATE graph_guard SET checked = edited WHERE checked <> edited")


def meet_foreign_edits(db: sqlite3.Connection, *, mends_graph: bool) -> None:
    """Before the first write after a foreign edit: every kept value is counted anew, and the graph is verified.

    GraphInvalidError for an invalid graph, unless the write is there to mend it.
    """
    from loopx.store.recount import recount  # only after a foreign edit

    recount(db)
    if not mends_graph:
        refuse_invalid_graph(db)


def refuse_undecidable(db: sqlite3.Connection) -> None:
    """Before a decision on a snapshot: GraphInvalidError where a foreign edit broke the graph or the kept counts."""
    if is_acknowledged(db):
        return
    refuse_invalid_graph(db)
    from loopx.store.recount import miscounts  # only after a foreign edit

    wrong = miscounts(db)
    if wrong:
        raise GraphInvalidError(
            "the todos or their dependencies were edited from outside, and what is counted of them is not yet",
            hint="The next write counts everything anew; `loopx doctor` shows what was edited.",
            faults=[f"{one.key}: {one.column} is {one.kept}, not {one.true}" for one in wrong[:_SHOWN_FAULTS]],
        )


def refuse_invalid_graph(db: sqlite3.Connection) -> None:
    """GraphInvalidError where an unacknowledged edit left a missing node, a self edge or a cycle."""
    if is_acknowledged(db):
        return
    faults = graph_faults(db)
    if faults:
        raise GraphInvalidError(
            f"the dependency graph was edited from outside and is not valid: {faults[0]}",
            hint="Run `loopx doctor` for the whole list; nothing is decided until it is mended.",
            faults=[str(fault) for fault in faults[:_SHOWN_FAULTS]],
        )


def graph_faults(db: sqlite3.Connection) -> list[GraphFault]:
    """Every missing node, self edge and cycle of the stored graph."""
    from loopx.core.graph import verify_graph  # only after a foreign edit, or where one is looked for

    nodes = {row[0] for row in db.execute("SELECT todo_id FROM todos UNION ALL SELECT todo_id FROM archived_todos")}
    edges: dict[str, list[str]] = {}
    for todo_id, dependency_id in db.execute("SELECT todo_id, dependency_id FROM edges ORDER BY todo_id, position"):
        edges.setdefault(todo_id, []).append(dependency_id)
    return verify_graph(nodes, edges)
