"""Leases over the real store: whatever agents, old sessions and clocks do, one of them holds a todo (S2, W5).

A ledger beside the store computes naively who holds what, which refusal a call must meet, and what
claim-next must give. After every call both must agree.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from loopx.app.claim_next import Wish, claim_next
from loopx.app.lease import LeaseRequest, LeaseStep, acquire_lease, release_lease, renew_lease, transfer_lease
from loopx.app.successors import Following
from loopx.app.todo_add import add_todo
from loopx.app.todo_claim import claim_todo, release_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.app.todo_update import TodoPatch, update_todo
from loopx.core.errors import LoopxError
from loopx.core.instant import HOUR, MINUTE, SECOND, parse_instant
from loopx.store.events import last_instant
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.fakes import START, FakeClock
from tests.support.project import call, make_team, open_project

AGENTS = ("ann", "bob", "cy")
TTLS = (SECOND, MINUTE, 10 * MINUTE)
CLAIM_TTL = 7 * MINUTE + 3
STEPS = (0, 1, SECOND, MINUTE, HOUR, -1, -SECOND, -MINUTE, -HOUR)
NEVER_ISSUED = "00000000-0000-4000-8000-ffffffffffff"
DONE = Completion(evidence="seen", following=Following(no_followup=True))

_HELD = """
    SELECT todo_id, status, unmet, lease_version, claimed_by, claim_expires_at, lease_id, lease_holder, claim_token,
           lease_expires_at FROM todos ORDER BY sequence
"""


class Held:
    """A live lease as the ledger knows it."""

    def __init__(self, lease_id: str, agent: str, token: str, end: int) -> None:
        self.lease_id, self.agent, self.token, self.end = lease_id, agent, token, end


class Entry:
    """What the ledger knows of a todo."""

    def __init__(self, todo_id: str, sequence: int, priority: int, deps: list[str]) -> None:
        self.todo_id, self.sequence, self.priority, self.deps = todo_id, sequence, priority, deps
        self.closed: str | None = None  # done | superseded
        self.version = 0
        self.lease: Held | None = None
        self.claim: tuple[str, int] | None = None  # agent, end
        self.tokens: list[str] = []
        self.lost: set[str] = set()

    @property
    def is_tied(self) -> bool:
        return self.lease is not None and self.claim == (self.lease.agent, self.lease.end)


class LeaseMachine(RuleBasedStateMachine):
    """Numbers choose todos, agents and tokens among those there are, the live ones more often."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        make_team(root, AGENTS)
        self.clock = FakeClock()
        self.project = open_project(root, clock=self.clock)
        self.entries: dict[str, Entry] = {}
        self.leases: dict[str, str] = {}  # every lease ever granted, and its todo
        self.last = START
        for _ in range(3):
            self.add(0, 2)

    def teardown(self) -> None:
        if hasattr(self, "project"):
            self.project.read(lambda snapshot: self._history_gives_the_tables(snapshot.db))
            self.project.close()
            self.folder.cleanup()

    # --- the graph -------------------------------------------------------------------------

    @rule(deps=st.integers(0, 7), priority=st.integers(0, 4))
    def add(self, deps: int, priority: int) -> None:
        self._settle()
        ids = list(self.entries)
        chosen = list(dict.fromkeys(ids[(deps * step) % len(ids)] for step in (3, 5))) if deps % 2 and ids else []
        new = NewTodo(text=f"[P{priority}] work", blocked_by=tuple(chosen))
        document = self._call(None, lambda: add_todo(self.project, call("todo_added"), new))
        assert document is not None
        todo = document["todo"]
        self.entries[todo["todo_id"]] = Entry(todo["todo_id"], todo["sequence"], priority, chosen)
        self._agree()

    @rule(which=st.integers(0, 15), who=st.integers(0, 3), token=st.integers(0, 7), how=st.sampled_from("cccusr"))
    def change(self, which: int, who: int, token: int, how: str) -> None:
        """Complete, update, supersede or release, with a token that is right, old, foreign, unknown or left out."""
        self._settle()
        entry, agent = self._entry(which), self._agent(which, who)
        shown = self._token(entry, token)
        fault = self._fault(entry, agent, shown)
        if fault is None and how == "c" and self._unmet(entry):
            fault = "todo_blocked"
        if fault is None and how == "r" and entry.claim is None and entry.lease is None:
            fault = "claim_mismatch"
        asked = call("changed", agent, claim_token=shown, reason="because")
        verbs: dict[str, Callable[[], dict[str, Any]]] = {
            "c": lambda: complete_todo(self.project, asked, entry.todo_id, DONE),
            "u": lambda: update_todo(self.project, asked, entry.todo_id, TodoPatch(action_kind=f"{token}")),
            "s": lambda: supersede_todo(self.project, asked, entry.todo_id, Replacement(None, None, none=True)),
            "r": lambda: release_todo(self.project, asked, entry.todo_id),
        }
        if self._call(fault, verbs[how]) is not None:
            if how in "cs":
                entry.closed = "done" if how == "c" else "superseded"
                if how == "c" and (entry.claim is None or self._owner(entry) is None):
                    entry.claim = (agent, self.clock.now()) if not self._is(entry.claim, agent) else entry.claim
            if how != "u":
                entry.lease = None
                if how == "r":
                    entry.claim = None
        self._agree(claims=how not in "cs")

    # --- holding ---------------------------------------------------------------------------

    @rule(who=st.integers(0, 2), ttl=st.integers(0, 2))
    def take_next(self, who: int, ttl: int) -> None:
        self._settle()
        agent = AGENTS[who]
        expected = self._best(agent)
        asked = call("todo_claimed_next", agent)
        document = self._call(None, lambda: claim_next(self.project, asked, Wish(ttl=TTLS[ttl])))
        assert document is not None
        claim = document["claim"]
        assert (claim["task"]["id"] if claim else None) == (expected.todo_id if expected else None)
        if expected is not None:
            self._granted(expected, agent, claim["lease"], claim["claim_token"])
            expected.claim = (agent, self.clock.now() + TTLS[ttl])
        self._agree()

    @rule(which=st.integers(0, 15), who=st.integers(0, 3), ttl=st.integers(0, 2))
    def acquire(self, which: int, who: int, ttl: int) -> None:
        self._settle()
        entry, agent = self._entry(which), self._agent(which, who)
        fault = self._closed(entry)
        if fault is None and (entry.lease is not None or self._claimant(entry) not in (None, agent)):
            fault = "lease_conflict"
        if fault is None and self._unmet(entry):
            fault = "todo_blocked"
        request = LeaseRequest(entry.todo_id, TTLS[ttl])
        document = self._call(fault, lambda: acquire_lease(self.project, call("lease_acquired", agent), request))
        if document is not None:
            self._granted(entry, agent, document["lease"], document["lease"]["claim_token"])
        self._agree()

    @rule(which=st.integers(0, 15), who=st.integers(0, 3))
    def claim(self, which: int, who: int) -> None:
        self._settle()
        entry, agent = self._entry(which), self._agent(which, who)
        fault = self._closed(entry)
        if fault is None and self._claimant(entry) not in (None, agent):
            fault = "already_claimed"
        if fault is None and entry.lease is not None and entry.lease.agent != agent:
            fault = "lease_conflict"
        asked = call("todo_claimed", agent)
        if self._call(fault, lambda: claim_todo(self.project, asked, entry.todo_id, CLAIM_TTL)) is not None:
            entry.claim = (agent, self.clock.now() + CLAIM_TTL)
            entry.lost.discard(agent)
        self._agree()

    @rule(
        which=st.integers(0, 31),
        who=st.integers(0, 3),
        version=st.integers(0, 3),
        how=st.sampled_from(("renew", "renew", "transfer", "release")),
        ttl=st.integers(0, 2),
    )
    def move(self, which: int, who: int, version: int, how: str, ttl: int) -> None:
        """Renew, transfer or release a lease of the present or the past, at a version that is right, none or wrong."""
        self._settle()
        if not self.leases:
            return
        live = [entry.lease.lease_id for entry in self.entries.values() if entry.lease]
        ids = live if which % 3 and live else list(self.leases)
        lease_id = ids[which % len(ids)]
        entry = self.entries[self.leases[lease_id]]
        agent = entry.lease.agent if entry.lease and who % 2 else AGENTS[who % 3]
        expected = (entry.version, None, entry.version, entry.version - 1)[version]
        fault = self._move_fault(entry, lease_id, agent, expected)
        step, receiver = LeaseStep(lease_id, expected, TTLS[ttl]), AGENTS[which % 3]
        verbs: dict[str, Callable[[], dict[str, Any]]] = {
            "renew": lambda: renew_lease(self.project, call("lease_renewed", agent), step),
            "release": lambda: release_lease(self.project, call("lease_released", agent), step),
            "transfer": lambda: transfer_lease(
                self.project, call("lease_transferred", agent), step._replace(to=receiver)
            ),
        }
        document = self._call(fault, verbs[how])
        if document is not None:
            self._moved(entry, how, receiver, self.clock.now() + TTLS[ttl])
            assert document["lease"]["version"] == entry.version
        self._agree()

    # --- time ------------------------------------------------------------------------------

    @rule(by=st.sampled_from(STEPS))
    def step(self, by: int) -> None:
        self.clock.advance(by)

    @rule(which=st.integers(0, 7), off=st.sampled_from((-1, 0, 0, 1)))
    def step_to_the_end_of_a_lease(self, which: int, off: int) -> None:
        ends = [entry.lease.end for entry in self.entries.values() if entry.lease]
        if ends:
            self.clock.set(ends[which % len(ends)] + off)

    # --- the ledger ------------------------------------------------------------------------

    def _settle(self) -> None:
        """What any write does first: nothing gains time by a step back, and what has ended is lost."""
        now = self.clock.now()
        for entry in self.entries.values():
            if entry.lease is None:
                continue
            tied = entry.is_tied
            entry.lease.end -= max(0, self.last - now)
            if tied:
                entry.claim = (entry.lease.agent, entry.lease.end)
            if entry.lease.end <= now:
                entry.lost.add(entry.lease.agent)
                entry.lease = None
                entry.claim = None if tied else entry.claim

    def _fault(self, entry: Entry, agent: str, token: str | None) -> str | None:
        """Why a change of the todo is refused; None where it is not."""
        lease = entry.lease
        if self._closed(entry):
            return self._closed(entry)
        if token is not None and (lease is None or token != lease.token):
            return "lease_expired" if token in entry.tokens else "claim_mismatch"
        if token is not None and lease is not None and lease.agent != agent:
            return "claim_mismatch"
        if token is None and lease is not None:
            return "claim_token_required"
        if lease is None and agent in entry.lost:
            return "lease_expired"
        return None if self._owner(entry) in (None, agent) else "not_claim_owner"

    def _move_fault(self, entry: Entry, lease_id: str, agent: str, expected: int | None) -> str | None:
        if entry.lease is None or entry.lease.lease_id != lease_id:
            return "already_done" if entry.closed and agent not in entry.lost else "lease_expired"
        if entry.lease.agent != agent:
            return "claim_mismatch"
        return None if expected in (None, entry.version) else "version_conflict"

    def _closed(self, entry: Entry) -> str | None:
        return {None: None, "done": "already_done", "superseded": "todo_not_open"}[entry.closed]

    def _claimant(self, entry: Entry) -> str | None:
        return entry.claim[0] if entry.claim and self.clock.now() < entry.claim[1] else None

    def _owner(self, entry: Entry) -> str | None:
        return entry.lease.agent if entry.lease else self._claimant(entry)

    def _is(self, claim: tuple[str, int] | None, agent: str) -> bool:
        return claim is not None and claim[0] == agent

    def _unmet(self, entry: Entry) -> int:
        return sum(1 for dep in entry.deps if self.entries[dep].closed != "done")

    def _best(self, agent: str) -> Entry | None:
        """What claim-next must give: readiness by looking at every todo."""
        ready = [
            entry
            for entry in self.entries.values()
            if not entry.closed and not entry.lease and not self._unmet(entry)
            if self._claimant(entry) in (None, agent)
        ]
        return min(ready, key=lambda one: (one.priority, self._claimant(one) != agent, one.sequence), default=None)

    def _granted(self, entry: Entry, agent: str, lease: dict[str, Any], token: str) -> None:
        assert lease["version"] == entry.version + 1
        assert all(token not in other.tokens for other in self.entries.values())
        entry.version += 1
        entry.lease = Held(lease["lease_id"], agent, token, parse_instant(lease["expires_at"], now=0))
        entry.tokens.append(token)
        entry.lost.discard(agent)
        self.leases[lease["lease_id"]] = entry.todo_id

    def _moved(self, entry: Entry, how: str, receiver: str, end: int) -> None:
        tied, lease = entry.is_tied, entry.lease
        assert lease is not None
        giver = lease.agent
        entry.version += 1
        if how == "release":
            entry.lease = None
            entry.claim = None if tied else entry.claim
            return
        lease.end = end
        if how == "transfer":
            token = self._stored_token(entry)
            assert all(token not in other.tokens for other in self.entries.values())
            lease.agent, lease.token = receiver, token
            entry.tokens.append(token)
            entry.lost.discard(receiver)
        if tied:
            entry.claim = (lease.agent, end)
        elif how == "transfer" and entry.claim and giver != receiver:
            entry.claim = (receiver, max(end, entry.claim[1]))

    # --- choosing and comparing ------------------------------------------------------------

    def _entry(self, which: int) -> Entry:
        entries = list(self.entries.values())
        held = [entry for entry in entries if entry.lease]
        return held[which % len(held)] if which % 3 == 0 and held else entries[which % len(entries)]

    def _agent(self, which: int, who: int) -> str:
        owner = self._owner(self._entry(which))
        return owner if who == 3 and owner else AGENTS[who % 3]

    def _token(self, entry: Entry, number: int) -> str | None:
        """Left out, right, old, of another todo, or never issued."""
        foreign = [token for other in self.entries.values() if other is not entry for token in other.tokens]
        if number < 3 and entry.lease:
            return entry.lease.token
        if number == 3 and entry.tokens:
            return entry.tokens[0]
        if number == 4 and foreign:
            return foreign[-1]
        return NEVER_ISSUED if number == 5 else None

    def _call(self, fault: str | None, ask: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
        """The document, or None for the refusal that the ledger expects."""
        document, refused = None, None
        try:
            document = ask()
        except LoopxError as error:
            refused = error.code
        assert refused == fault, f"the answer is {refused}; the ledger says {fault}"
        if self.project.embedded._writer is not None:  # a power cut is not asked about here
            self.project.embedded._writer.execute("PRAGMA synchronous = OFF")
        return document

    def _agree(self, *, claims: bool = True) -> None:
        self.project.read(lambda snapshot: self._compare(snapshot.db, claims))

    def _compare(self, db: Any, claims: bool) -> None:
        self.last = last_instant(db) or START
        for row, entry in zip(db.execute(_HELD).fetchall(), self.entries.values(), strict=True):
            lease = entry.lease
            assert row[0] == entry.todo_id
            assert row[2:4] == (self._unmet(entry), entry.version)
            assert row[6:] == ((lease.lease_id, lease.agent, lease.token, lease.end) if lease else (None,) * 4)
            if claims and not entry.closed:
                assert row[4:6] == (entry.claim or (None, None))
        (issued,) = db.execute("SELECT count(*) FROM claim_tokens").fetchone()
        assert issued == sum(len(entry.tokens) for entry in self.entries.values())

    def _stored_token(self, entry: Entry) -> str:
        sql = "SELECT claim_token FROM todos WHERE todo_id = ?"
        return self.project.read(lambda snapshot: str(snapshot.db.execute(sql, (entry.todo_id,)).fetchone()[0]))

    def _history_gives_the_tables(self, db: Any) -> None:
        assert drifts(replay(past_events(db)), table_state(db)) == []


TestLeaseMachine = LeaseMachine.TestCase
if settings().max_examples <= 1_000:
    TestLeaseMachine.settings = settings(max_examples=60, stateful_step_count=50)
