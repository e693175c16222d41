"""One write transaction: todos change only through `insert` and `save`, which collect the event.

`now` is read once, inside the transaction. Derived values follow in the same call, so no caller
can forget them.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from loopx import failpoint
from loopx.contracts.record import changes_between, record_of
from loopx.store import derived
from loopx.store.events import append_event, new_operation_id
from loopx.store.todo_row import COLUMNS, route_identity, sql_value
from loopx.store.todos import dependents_of, get_todo, with_edges

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from loopx.core.instant import Instant
    from loopx.core.todo import Lease, Route, Todo
    from loopx.ports import IdSource, TokenSource
    from loopx.store.connection import Connection
    from loopx.store.events import Changes, Event
    from loopx.store.opening import Opening

KEY_AND_TIME = ("todo_id", "updated_at")  # an event about a todo says these by its own key and time
_OWN_COLUMNS = frozenset(COLUMNS)


class Transaction:
    """An open `BEGIN IMMEDIATE` and what has changed in it so far."""

    def __init__(self, db: Connection, *, now: Instant, opening: Opening, ids: IdSource, tokens: TokenSource) -> None:
        self.db = db
        self.now = now
        self.opening = opening
        self.ids = ids
        self.tokens = tokens
        self.changes: Changes = {}
        self.unblocked: list[str] = []
        self._last = opening.last

    def new_operation_id(self) -> str:
        """An id for the operation of the event that is appended next."""
        return new_operation_id(self.ids, self._last)

    def append(self, event: Event) -> int:
        """Write the event as the next of the history; its sequence."""
        self._last = append_event(self.db, event, self._last)
        return self._last.sequence

    @contextmanager
    def refusable(self) -> Iterator[None]:
        """What is done inside is undone alone where it raises; what was done before stays."""
        self.db.execute("SAVEPOINT refusable")
        last = self._last
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK TO refusable")
            self.changes, self.unblocked, self._last = {}, [], last
            raise

    def todo(self, todo_id: str) -> Todo:
        """The todo as it is now; TodoNotFoundError."""
        return get_todo(self.db, todo_id)

    def insert(self, todo: Todo) -> Todo:
        """Store a new todo; its `sequence` is given here and comes back with the value."""
        route_id = self.route_id(todo.route)
        record = record_of(todo)
        record["route_id"] = route_id
        names = [name for name in (*COLUMNS, "route_id") if name != "sequence"]
        marks = ", ".join("?" for _ in names)
        sql = f"INSERT INTO todos ({', '.join(names)}) VALUES ({marks}) RETURNING sequence"
        (sequence,) = self.db.execute(sql, [sql_value(record[name]) for name in names]).fetchone()
        failpoint.reach("insert: row")
        stored = todo._replace(sequence=int(sequence))
        self._write_edges(stored)
        self._write_lineage(stored)
        failpoint.reach("insert: edges")
        stored = self.refresh(stored)
        shifts = derived.Shifts()
        shifts.add(route_id, derived.counts_of(stored))
        shifts.store(self.db)
        self._note("todos", todo.todo_id, changed_columns({}, record_of(stored), KEY_AND_TIME))
        return stored

    def save(self, before: Todo, after: Todo) -> Todo:
        """Store what differs, with its version as compare-and-swap, and everything that follows from it."""
        difference = changes_between(before, after)
        if not difference:
            return before
        after = after._replace(version=before.version + 1, updated_at=self.now)
        difference["version"] = [before.version, after.version]
        old_route, new_route = self._update(before, after, difference)
        failpoint.reach("save: row")
        after = self._derive(before, after)
        shifts = derived.Shifts()
        shifts.take(old_route, derived.counts_of(before))
        shifts.add(new_route, derived.counts_of(after))
        if before.closure is None and after.closure is not None:
            self._settle_dependents(after, shifts)
            failpoint.reach("save: settled")
        shifts.store(self.db)
        failpoint.reach("save: counted")
        self._note("todos", after.todo_id, difference)
        return after

    def whole(self, bare: Todo) -> Todo:
        """A todo that was read in this transaction without its edges and lineage, with them."""
        return with_edges(self.db, bare)

    def issue_token(self, lease: Lease) -> None:
        """Keep the token for ever; a repeated one rolls the whole transaction back (S2.4)."""
        row = (lease.claim_token, lease.todo_id, lease.lease_id, lease.holder, self.now)
        self.db.execute("INSERT INTO claim_tokens VALUES (?,?,?,?,?)", row)
        failpoint.reach("token: issued")
        self._note("claim_tokens", lease.claim_token, changed_columns({}, _token_record(row)))

    def knows_token(self, todo: Todo, token: str) -> bool:
        """Whether the token was ever issued for this todo."""
        if todo.lease is not None and todo.lease.claim_token == token:
            return True
        found = self.db.execute("SELECT todo_id FROM claim_tokens WHERE token = ?", (token,)).fetchone()
        return found is not None and found[0] == todo.todo_id

    def record_lapse(self, todo_id: str, agent_id: str) -> None:
        """Remember that the agent's lease on the todo ran out (W5.3)."""
        self.put(
            "lapses",
            ("todo_id", "agent_id"),
            {"todo_id": todo_id, "agent_id": agent_id, "lapsed_at": self.now},
        )

    def has_lapsed(self, todo: Todo, agent_id: str) -> bool:
        """Whether the agent lost this todo by expiry and has not claimed it since."""
        if not todo.attempts:  # no lease on it has ever run out
            return False
        sql = "SELECT 1 FROM lapses WHERE todo_id = ? AND agent_id = ?"
        return self.db.execute(sql, (todo.todo_id, agent_id)).fetchone() is not None

    def forgive_lapse(self, todo: Todo, agent_id: str) -> None:
        """The agent holds the todo again."""
        if not todo.attempts:
            return
        sql = "DELETE FROM lapses WHERE todo_id = ? AND agent_id = ? RETURNING lapsed_at"
        row = self.db.execute(sql, (todo.todo_id, agent_id)).fetchone()
        if row is not None:
            self._note("lapses", f"{todo.todo_id} {agent_id}", {"lapsed_at": [row[0], None]})

    def put(self, table: str, key: tuple[str, ...], record: Mapping[str, Any]) -> None:
        """Insert or replace a row of one of the small tables (lapses, facts, criteria)."""
        where = " AND ".join(f"{name} = ?" for name in key)
        values = [record[name] for name in key]
        names = list(record)
        found = self.db.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {where}", values).fetchone()
        before = dict(zip(names, found, strict=True)) if found else {}
        marks = ", ".join("?" for _ in names)
        sets = ", ".join(f"{name} = excluded.{name}" for name in names)
        insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"
        self.db.execute(f"{insert} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {sets}", list(record.values()))
        failpoint.reach("put: row")
        self._note(table, " ".join(str(value) for value in values), changed_columns(before, dict(record)))

    def take(self, table: str, key: tuple[str, ...], values: Sequence[str]) -> None:
        """Remove a row of one of the small tables that a mistake has made; the event keeps what it said."""
        where = " AND ".join(f"{name} = ?" for name in key)
        cursor = self.db.execute(f"DELETE FROM {table} WHERE {where} RETURNING *", values)
        row = cursor.fetchone()
        failpoint.reach("take: row")
        names = [column[0] for column in cursor.description]
        gone = {name: [value, None] for name, value in zip(names, row, strict=True) if value is not None}
        self._note(table, " ".join(values), gone)

    def drop(self, table: str, key: tuple[str, ...], values: Sequence[str], column: str) -> None:
        """Remove a row of one of the small tables whose every value an earlier event has.

        The event says only what `column` held; replaying it removes the row.
        """
        where = " AND ".join(f"{name} = ?" for name in key)
        row = self.db.execute(f"DELETE FROM {table} WHERE {where} RETURNING {column}", values).fetchone()
        failpoint.reach("drop: row")
        self._note(table, " ".join(values), {column: [row[0], None]})

    def note_registry(self, before: str | None, after: str) -> None:
        """Say in the event that the registry file went from one digest to another."""
        self._note("registry", "sha256", {"sha256": [before, after]})

    def weigh_again(self, todo_id: str) -> None:
        """Store anew what follows from other todos about this one, after one of them was opened again."""
        before = self.todo(todo_id)
        after = self.refresh(before)
        route, shifts = self.route_id(before.route), derived.Shifts()
        shifts.take(route, derived.counts_of(before))
        shifts.add(route, derived.counts_of(after))
        shifts.store(self.db)

    # --- how a save is carried out ---------------------------------------------------------

    def _update(self, before: Todo, after: Todo, difference: dict[str, list[Any]]) -> tuple[int, int]:
        """Write the changed columns and edges; the group before and after."""
        columns = {name: sql_value(new) for name, (_, new) in difference.items() if name in _OWN_COLUMNS}
        columns["updated_at"] = after.updated_at
        if before.route != after.route:
            columns["route_id"] = self.route_id(after.route)
        sets = ", ".join(f"{name} = ?" for name in columns)
        sql = f"UPDATE todos SET {sets} WHERE todo_id = ? AND version = ? RETURNING route_id"
        values = (*columns.values(), before.todo_id, before.version)
        row = self.db.execute(sql, values).fetchall()
        if not row and self._bring_back(before.todo_id):
            row = self.db.execute(sql, values).fetchall()
        if len(row) != 1:
            raise AssertionError(f"{before.todo_id} changed inside its own transaction")
        new_route = int(row[0][0])
        if "blocked_by" in difference:
            self.db.execute("DELETE FROM edges WHERE todo_id = ?", (after.todo_id,))
            self._write_edges(after)
        if "successors" in difference:
            self._write_lineage(after)
        return (self.route_id(before.route) if "route_id" in columns else new_route), new_route

    def _bring_back(self, todo_id: str) -> bool:
        from loopx.store.archive import bring_back  # few change what is closed long since

        return bring_back(self, todo_id)

    def _derive(self, before: Todo, after: Todo) -> Todo:
        """Store what follows from the facts, where something it follows from has changed."""
        sources = [(t.blocked_by, t.successors, t.resume, t.resume and t.closure) for t in (before, after)]
        return after if sources[0] == sources[1] else self.refresh(after)

    def refresh(self, todo: Todo) -> Todo:
        """Store what follows from the facts about the todo: its counts, and whether its condition holds."""
        unmet, broken = derived.dependency_counts(self.db, todo.todo_id) if todo.blocked_by else (0, 0)
        state = derived.condition_state(self.db, todo.resume) if todo.closure is None else 0
        self.db.execute(
            "UPDATE todos SET unmet = ?, broken = ?, resume_met = ?, followed = ? WHERE todo_id = ?",
            (unmet, broken, state, int(bool(todo.successors)), todo.todo_id),
        )
        return todo._replace(unmet=unmet, broken=broken)

    def _settle_dependents(self, closed: Todo, shifts: derived.Shifts) -> None:
        met = derived.is_met(closed.closure)
        if met:
            for freed in derived.meet_dependents(self.db, closed.todo_id):
                self.unblocked.append(freed.todo_id)
                shifts.add(freed.route_id, derived.FREED)
        else:
            derived.break_dependents(self.db, closed.todo_id)
        derived.settle_waiters(self.db, "todo_done", closed.todo_id, holds=met)

    def route_id(self, route: Route) -> int:
        """The number of the group that the route belongs to; a new group where there is none."""
        identity = route_identity(route)
        row = self.db.execute("SELECT route_id FROM routes WHERE identity = ?", (identity,)).fetchone()
        if row is not None:
            return int(row[0])
        sql = "INSERT INTO routes (goal_id, task_class, identity) VALUES (?,?,?) RETURNING route_id"
        values = (route.goal_id, route.task_class.value, identity)
        return int(self.db.execute(sql, values).fetchone()[0])

    def _write_edges(self, todo: Todo) -> None:
        rows = [(todo.todo_id, dependency, at) for at, dependency in enumerate(todo.blocked_by)]
        self.db.executemany("INSERT INTO edges VALUES (?,?,?)", rows)

    def _write_lineage(self, todo: Todo) -> None:
        self.db.execute("DELETE FROM lineage WHERE todo_id = ?", (todo.todo_id,))
        rows = [(todo.todo_id, successor, at) for at, successor in enumerate(todo.successors)]
        self.db.executemany("INSERT INTO lineage VALUES (?,?,?)", rows)

    def _note(self, table: str, key: str, difference: dict[str, Any]) -> None:
        """Merge into the event: the first `before` and the last `after` of each column count."""
        noted = self.changes.setdefault(table, {}).setdefault(key, {})
        for name, (before, after) in difference.items():
            noted[name] = [noted[name][0] if name in noted else before, after]

    def dependents(self, todo_id: str) -> tuple[str, ...]:
        """Who waits for the todo."""
        return dependents_of(self.db, todo_id)


def changed_columns(old: Mapping[str, Any], new: Mapping[str, Any], without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Column → [before, after] of what differs; a new row lists what is not empty."""
    return {
        name: [old.get(name), value]
        for name, value in new.items()
        if name not in without and old.get(name) != value and (old or value not in (None, [], 0))
    }


def _token_record(row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("token", "todo_id", "lease_id", "holder", "issued_at"), row, strict=True))
