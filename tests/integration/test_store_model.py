"""The real store, driven by the use cases, against a model that computes everything naively (S1, W3, W5, W10).

After every step both must agree on the answer and on every value; at the end the history must give
exactly the tables. A state machine searches for short counterexamples, a random walk goes far.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from loopx.app.fact import record_fact
from loopx.app.gate_answer import Answer, answer_gate
from loopx.app.lease import (
    LeaseRequest,
    LeaseStep,
    acquire_lease,
    release_lease,
    renew_lease,
    transfer_lease,
)
from loopx.app.successors import Following
from loopx.app.todo_add import add_todo
from loopx.app.todo_claim import claim_todo, reassign_todo, release_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_pause import block_todo, defer_todo, reopen_todo
from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.app.todo_update import ListPatch, TodoPatch, update_todo
from loopx.core.errors import LoopxError
from loopx.core.instant import MINUTE, SECOND
from loopx.core.todo import Role, Status, TaskClass, Verdict
from loopx.store.recount import miscounts
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.fakes import START, FakeClock
from tests.support.model import SCOPES, Held, Model, Node
from tests.support.project import AGENTS, POOL, call, make_state, open_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.store.connection import Connection

DECISIONS = ("direction:action:api", "production:goal:release")
CLASSES = ("advancement_task",) * 6 + ("user_gate", "user_action", "continuous_monitor", "blocker")
CLAIM_TTL = 10 * MINUTE + 1  # never the end of a lease: such a claim would be tied to it
LEASE_TTLS = (30 * SECOND, 5 * MINUTE, 20 * MINUTE)
DEFAULT_LEASE = 15 * MINUTE
STEPS = (0, SECOND, 30 * SECOND, 4 * MINUTE, 10 * MINUTE)
PULL_REQUESTS = ("lab#1", "lab#2")
SMALL, LARGE = st.integers(0, 7), st.integers(0, 255)

# What the tables hold of a todo, in the words of the model. A lease that is over is stored until the next
# write, and with it a claim that ends together with it.
_OVER = "lease_expires_at <= :now AND claimed_by = lease_holder AND claim_expires_at = lease_expires_at"
_TODOS = f"""
    SELECT todo_id, task_class, status, closure, unmet, broken, resume_met, followed,
           CASE WHEN {_OVER} THEN NULL ELSE claimed_by END, CASE WHEN {_OVER} THEN NULL ELSE claim_expires_at END,
           CASE WHEN lease_expires_at > :now THEN lease_holder END,
           CASE WHEN lease_expires_at > :now THEN lease_expires_at END,
           CASE WHEN lease_expires_at > :now THEN claim_token END,
           lease_version, resume_kind, superseded_by, unblocks_todo_id
    FROM todos ORDER BY sequence
"""


class World:
    """A real project and its model, taking the same steps; every number picks from what there is."""

    def __init__(self, root: Path) -> None:
        make_state(root)
        self.clock = FakeClock()
        self.project = open_project(root, clock=self.clock)
        self.model = Model(START)
        self.tokens: list[str | None] = [None, None, None, "never-issued"]

    # --- steps: the graph ------------------------------------------------------------------

    def add(self, kind: int, deps: int, options: int, who: int) -> None:
        node = Node("", CLASSES[kind % len(CLASSES)])
        typed = self._some(deps)
        node.deps = self.model.current(typed)
        extra: dict[str, Any] = {}
        if node.task_class == "user_gate":
            node.scope = (*DECISIONS, None)[options % 3]
            node.blocks = (*AGENTS, None)[options // 3 % 4]
            node.holds_all = node.blocks is None and options // 12 % 4 != 1
            link = self._pick(options) if options % 2 and self.model.nodes else None
            (node.frees,) = self.model.current([link]) if link else (None,)
            extra = {
                "decision_scope": node.scope,
                "blocks_agent": node.blocks,
                "global_gate": node.holds_all,
                "unblocks_todo_id": link,
            }
        elif node.task_class == "continuous_monitor":
            extra = {"poll_every": MINUTE}
        elif node.task_class == "blocker":
            node.reason = "known"
        elif node.task_class == "advancement_task":
            node.excluded = (AGENTS[options % 3],) if options % 8 == 1 else ()
            node.bound = AGENTS[options // 2 % 3] if options % 16 == 2 else None
            node.required = (DECISIONS[options % 2],) if options % 6 == 0 else ()
            extra = {
                "excluded_agents": node.excluded,
                "bound_agent": node.bound,
                "required_decision_scopes": node.required,
            }
        fault = None
        if options % 11 == 5 and not node.is_user:
            node.status = "deferred"
            condition = self._condition(options * 7 + kind, deps)
            fault = self.model.wait_for(node, condition)
            extra["resume_when"] = condition
        new = NewTodo(
            text=f"todo {len(self.model.nodes)}",
            role=Role.USER if node.is_user else Role.AGENT,
            task_class=TaskClass(node.task_class),
            status=Status(node.status),
            blocked_by=tuple(typed),
            block_reason=node.reason,
            **extra,
        )
        document = self._same(fault, lambda: add_todo(self.project, call("todo_added", self._agent(who)), new))
        if document is not None:
            node.todo_id = document["todo"]["todo_id"]
            self.model.nodes[node.todo_id] = node

    def edges(self, which: int, add: int, remove: int, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is None or node.task_class == "user_gate":
            return
        added, removed = self._some(add), [dep for place, dep in enumerate(node.deps) if remove >> place & 1]
        if not added and not removed:
            return
        fault = self.model.edges(node, agent, shown, self.model.current(added), removed)
        patch = TodoPatch(blocked_by=ListPatch(tuple(added), tuple(removed)))
        asked = call("todo_updated", agent, claim_token=shown)
        self._same(fault, lambda: update_todo(self.project, asked, node.todo_id, patch))

    def complete(self, which: int, how: int, other: int, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is None:
            return
        closure = ("completed", "completed_no_followup", "failed", "completed")[how % 4]
        texts = ("next",) if how % 4 == 0 else ()
        successor = self._pick(other) if how % 4 == 3 else None
        following = Following(
            agent_todos=texts,
            successor_ids=(successor,) if successor else (),
            no_followup=closure == "completed_no_followup",
        )
        completion = Completion(evidence="seen", failed=closure == "failed", following=following)
        blocked = [one for one in self.model.nodes.values() if one.status == "open" and self.model.unmet(one)]
        fault = self.model.complete(node, agent, shown, closure, successor)
        asked = call("todo_completed", agent, claim_token=shown)
        document = self._same(fault, lambda: complete_todo(self.project, asked, node.todo_id, completion))
        if document is not None:
            free = [one.todo_id for one in blocked if one is not node and self.model.unmet(one) == 0]
            assert document["unblocked"] == free[:20]
            assert document["unblocked_total"] == len(free)
            for todo_id in document["successors"] if texts else ():
                self.model.nodes[todo_id] = Node(todo_id)
                node.successors.append(todo_id)

    def supersede(self, which: int, how: int, other: int, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is None:
            return
        successor = self._pick(other) if how % 3 == 0 else None
        replacement = Replacement("instead" if how % 3 == 1 else None, successor, none=how % 3 == 2)
        fault = self.model.supersede(node, agent, shown, successor)
        asked = call("todo_superseded", agent, claim_token=shown, reason="another way")
        document = self._same(fault, lambda: supersede_todo(self.project, asked, node.todo_id, replacement))
        if document is not None:
            waiting = sorted(one.todo_id for one in self.model.nodes.values() if node.todo_id in one.deps)
            for todo_id in document["successors"]:
                self.model.nodes.setdefault(todo_id, Node(todo_id))
            self.model.superseded(node, document["successors"][0] if document["successors"] else None)
            assert document["moved_dependents"] == (waiting[:20] if document["successors"] else [])

    def defer(self, which: int, condition: int, other: int, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is None:
            return
        spelling = self._condition(condition, other)
        fault = self.model.defer(node, agent, shown, spelling)
        asked = call("todo_deferred", agent, claim_token=shown)
        self._same(fault, lambda: defer_todo(self.project, asked, node.todo_id, spelling))

    def block(self, which: int, deps: int, reason: bool, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is None:
            return
        edges, why = self._some(deps), "broken" if reason else None
        fault = self.model.block(node, agent, shown, why, self.model.current(edges))
        asked = call("todo_blocked", agent, claim_token=shown, reason=why)
        self._same(fault, lambda: block_todo(self.project, asked, node.todo_id, tuple(edges)))

    def reopen(self, which: int, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is not None:
            fault = self.model.reopen(node, agent, shown)
            asked = call("todo_reopened", agent, claim_token=shown)
            self._same(fault, lambda: reopen_todo(self.project, asked, node.todo_id))

    def answer(self, which: int, approve: bool) -> None:
        node = self._node(which, "user_gate")
        if node is not None:
            verdict = Verdict.APPROVE if approve or node.frees else Verdict.REJECT
            fault = self.model.answer(node, verdict.value)
            asked = call("gate_answered")
            self._same(fault, lambda: answer_gate(self.project, asked, node.todo_id, Answer(verdict)))

    def learn(self, which: int) -> None:
        fact = f"pr_merged:{PULL_REQUESTS[which % 2]}"
        self.model.facts.add(fact)
        self._same(None, lambda: record_fact(self.project, call("fact_recorded", "ann"), fact, "seen"))

    # --- steps: holding --------------------------------------------------------------------

    def claim(self, which: int, who: int) -> None:
        node, agent, _ = self._reach(which, who, 2)
        if node is not None:
            fault = self.model.claim(node, agent, CLAIM_TTL)
            asked = call("todo_claimed", agent)
            self._same(fault, lambda: claim_todo(self.project, asked, node.todo_id, CLAIM_TTL))

    def release(self, which: int, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is not None:
            fault = self.model.release(node, agent, shown)
            asked = call("todo_released", agent, claim_token=shown)
            self._same(fault, lambda: release_todo(self.project, asked, node.todo_id))

    def reassign(self, which: int, to: int, who: int, token: int) -> None:
        node, agent, shown = self._reach(which, who, token)
        if node is not None:
            fault = self.model.reassign(node, agent, shown, AGENTS[to % 3])
            asked = call("todo_reassigned", agent, claim_token=shown)
            self._same(fault, lambda: reassign_todo(self.project, asked, node.todo_id, AGENTS[to % 3]))

    def acquire(self, which: int, ttl: int, extra: int, who: int) -> None:
        node, agent, _ = self._reach(which, who, 2)
        if node is None:
            return
        scopes = (list(SCOPES)[extra % 4],) if extra % 3 == 0 else ()
        pool = POOL if extra % 4 == 1 else None
        fault = self.model.acquire(node, agent, scopes, pool)
        request = LeaseRequest(node.todo_id, LEASE_TTLS[ttl % 3], scopes, None, pool)
        document = self._same(fault, lambda: acquire_lease(self.project, call("lease_acquired", agent), request))
        if document is not None:
            lease, expires = document["lease"], self.model.now + LEASE_TTLS[ttl % 3]
            held = Held(lease["lease_id"], agent, lease["claim_token"], lease["version"], expires, scopes, pool)
            self.model.granted(node, held)
            self.tokens.append(held.token)

    def renew(self, which: int, ttl: int, version: int, who: int) -> None:
        step = self._step(which, version)
        if step is not None:
            node, agent = self._of(step), self._holder_or(self._of(step), who)
            given = (*LEASE_TTLS, None)[ttl % 4]
            fault = self.model.hold(step.lease_id, agent, step.expect_version)
            asked = call("lease_renewed", agent)
            if self._same(fault, lambda: renew_lease(self.project, asked, step._replace(ttl=given))) is not None:
                assert node.lease is not None
                kept = max(node.lease.expires, self.model.now + DEFAULT_LEASE)
                self.model.renewed(node, kept if given is None else self.model.now + given)

    def transfer(self, which: int, to: int, version: int, who: int) -> None:
        step = self._step(which, version)
        if step is not None:
            node, agent, receiver = self._of(step), self._holder_or(self._of(step), who), AGENTS[to % 3]
            fault = self.model.hold(step.lease_id, agent, step.expect_version)
            fault = fault or self.model._eligible(node, receiver)
            asked = call("lease_transferred", agent)
            if self._same(fault, lambda: transfer_lease(self.project, asked, step._replace(to=receiver))) is not None:
                assert node.lease is not None
                token = self._stored_token(node)
                assert token not in node.tokens
                self.model.moved(node, receiver, token, node.lease.expires)
                self.tokens.append(token)

    def give_back(self, which: int, version: int, who: int) -> None:
        step = self._step(which, version)
        if step is not None:
            node, agent = self._of(step), self._holder_or(self._of(step), who)
            fault = self.model.hold(step.lease_id, agent, step.expect_version)
            asked = call("lease_released", agent)
            if self._same(fault, lambda: release_lease(self.project, asked, step)) is not None:
                self.model.let_go(node)

    def advance(self, by: int) -> None:
        self.clock.advance(STEPS[by % len(STEPS)])
        self.model.advance(STEPS[by % len(STEPS)])

    # --- agreement -------------------------------------------------------------------------

    def agree(self) -> None:
        """Every value of every todo and of every group."""
        self.project.read(lambda snapshot: self._agree(snapshot.db))

    def _agree(self, db: Connection) -> None:
        real = [tuple(row) for row in db.execute(_TODOS, {"now": self.model.now})]
        assert real == [self._expected(node) for node in self.model.nodes.values()]
        edges: dict[str, list[str]] = {}
        for todo_id, dependency in db.execute("SELECT todo_id, dependency_id FROM edges ORDER BY position"):
            edges.setdefault(todo_id, []).append(dependency)
        assert edges == {node.todo_id: node.deps for node in self.model.nodes.values() if node.deps}
        counts = "open_count, ready_count, blocked_count, deferred_count"
        routes = [tuple(row) for row in db.execute(f"SELECT {counts} FROM routes") if any(row)]
        assert sorted(routes) == sorted(self.model.routes().values())

    def _expected(self, node: Node) -> tuple[Any, ...]:
        lease, claim, model = node.lease, node.claim or (None, None), self.model
        return (
            node.todo_id, node.task_class, node.status, node.closure,
            model.unmet(node), model.broken(node), model.resume_met(node), int(bool(node.successors)),
            *claim,
            lease.holder if lease else None, lease.expires if lease else None, lease.token if lease else None,
            node.lease_version, node.resume[0] if node.resume else None, node.replaced_by, node.frees,
        )  # fmt: skip

    def finish(self) -> None:
        """The history gives the tables, and nothing that is kept has drifted."""
        self.project.read(lambda snapshot: self._finish(snapshot.db))
        self.project.close()

    def _finish(self, db: Connection) -> None:
        assert drifts(replay(past_events(db)), table_state(db)) == []
        assert miscounts(db) == []
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []

    # --- picking and asking ----------------------------------------------------------------

    def _same(self, fault: str | None, ask: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
        """The document, or None for a refusal; it must be the one that the model expects."""
        document, code = None, None
        try:
            document = ask()
        except LoopxError as error:
            code = error.code
        assert code == fault
        # What a power cut would do is not asked here, and not waiting for the disk saves half the time.
        if self.project.embedded._writer is not None:
            self.project.embedded._writer.execute("PRAGMA synchronous = OFF")
        return document

    def _node(self, number: int, task_class: str | None = None) -> Node | None:
        """A todo, the newer ones and those that are not closed more often."""
        nodes = [node for node in self.model.nodes.values() if task_class in (None, node.task_class)]
        living = [node for node in nodes if node.closure is None]
        if number % 8 and living:
            nodes = living[-24:]
        return nodes[number % len(nodes)] if nodes else None

    def _pick(self, number: int) -> str:
        ids = list(self.model.nodes)
        return ids[number % len(ids)]

    def _some(self, number: int) -> list[str]:
        """Up to two ids; none for half of the numbers."""
        if number % 2 == 0 or not self.model.nodes:
            return []
        return list(dict.fromkeys(self._pick(number * step) for step in ((3,) if number % 3 else (5, 7))))

    def _reach(self, which: int, who: int, token: int) -> tuple[Node | None, str, str | None]:
        """A todo, who reaches for it, and what token they show."""
        node = self._node(which)
        return node, self._holder_or(node, who), self._token(node, token)

    def _agent(self, number: int) -> str:
        return AGENTS[number % len(AGENTS)]

    def _holder_or(self, node: Node | None, number: int) -> str:
        """Half of the time who holds the todo, otherwise anybody."""
        holder = self.model.owner(node) if node is not None and number % 2 else None
        return holder or self._agent(number)

    def _token(self, node: Node | None, number: int) -> str | None:
        """None, the token of the todo's lease, or one out of the past."""
        if number % 2 and node is not None and node.lease is not None:
            return node.lease.token
        return self.tokens[number * 5 % len(self.tokens)] if number % 4 == 0 else None

    def _condition(self, number: int, other: int) -> str:
        conditions = [
            f"in:{number % 90 + 1}s", f"pr_merged:{PULL_REQUESTS[number % 2]}", f"capacity_available:{POOL}",
        ]  # fmt: skip
        if self.model.nodes:
            conditions += [f"todo_done:{self._pick(other)}"] * 2
        return conditions[number % len(conditions)]

    def _step(self, which: int, version: int) -> LeaseStep | None:
        """A lease of the past or present, and a version: right, none or wrong."""
        if not self.model.leases:
            return None
        live = [node.lease.lease_id for node in self.model.nodes.values() if node.lease]
        ids = live if which % 3 and live else list(self.model.leases)
        lease_id = ids[which % len(ids)]
        lease = self.model.nodes[self.model.leases[lease_id]].lease
        right = lease.version if lease is not None else 1
        return LeaseStep(lease_id, (right, None, right, right - 1)[version % 4])

    def _of(self, step: LeaseStep) -> Node:
        return self.model.nodes[self.model.leases[step.lease_id]]

    def _stored_token(self, node: Node) -> str:
        sql = "SELECT claim_token FROM todos WHERE todo_id = ?"
        return self.project.read(lambda snapshot: str(snapshot.db.execute(sql, (node.todo_id,)).fetchone()[0]))


# The steps, how many numbers each takes, and how often the random walk takes it.
STEP_KINDS: dict[str, tuple[int, int]] = {
    "add": (4, 9), "edges": (5, 5), "complete": (5, 9), "supersede": (5, 3), "defer": (5, 4), "block": (5, 3),
    "reopen": (3, 4), "answer": (2, 3), "learn": (1, 1), "claim": (2, 7), "release": (3, 3), "reassign": (4, 2),
    "acquire": (4, 8), "renew": (4, 4), "transfer": (4, 2), "give_back": (3, 2), "advance": (1, 4),
}  # fmt: skip


def is_soaking() -> bool:
    return settings().max_examples > 1_000


@pytest.mark.parametrize("seed", range(8))
def test_store_and_model_agree_after_every_step_of_a_long_walk(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    world = World(tmp_path)
    names = [name for name, (_, weight) in STEP_KINDS.items() for _ in range(weight)]
    for _ in range(4_000 if is_soaking() else 400):
        name = draw.choice(names)
        getattr(world, name)(*(draw.randrange(256) for _ in range(STEP_KINDS[name][0])))
        world.agree()
    world.finish()


class StoreMachine(RuleBasedStateMachine):
    """Hypothesis chooses the steps and shrinks what it finds to the shortest story."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.world = World(Path(self.folder.name))
        for kind in (0, 0, 6):
            self.world.add(kind, 0, 4, 0)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.finish()
            self.folder.cleanup()

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "world"):
            self.world.agree()

    @rule(kind=SMALL, deps=LARGE, options=LARGE, who=SMALL)
    def add(self, kind: int, deps: int, options: int, who: int) -> None:
        self.world.add(kind, deps, options, who)

    @rule(step=st.sampled_from([name for name in STEP_KINDS if name != "add"]), numbers=st.tuples(*[LARGE] * 5))
    def step(self, step: str, numbers: tuple[int, ...]) -> None:
        getattr(self.world, step)(*numbers[: STEP_KINDS[step][0]])


TestStoreMachine = StoreMachine.TestCase
if not is_soaking():
    TestStoreMachine.settings = settings(max_examples=20, stateful_step_count=40)
