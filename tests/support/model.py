"""The work graph as plain dictionaries: every rule spelt out naively, nothing kept that can be counted.

A verb answers with the code of the refusal that must come, or None and then the model has changed.
The real store must give the same answers and hold the same values (`tests/integration/test_store_model.py`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.support.project import DELEGATE, POOL

DAY = 24 * 3600 * 1_000_000
MET = ("completed", "completed_no_followup")
BROKEN = ("failed", "superseded")
SCOPES = {"src/**": {"a", "b"}, "src/a/**": {"a"}, "src/b/**": {"b"}, "docs/**": {"docs"}}  # and what they hold


@dataclass
class Held:
    lease_id: str
    holder: str
    token: str
    version: int
    expires: int
    scopes: tuple[str, ...] = ()
    pool: str | None = None


@dataclass
class Node:
    todo_id: str
    task_class: str = "advancement_task"
    status: str = "open"
    closure: str | None = None
    deps: list[str] = field(default_factory=list)
    reason: str | None = None
    resume: tuple[str, str, int | None] | None = None  # kind, ref, instant
    claim: tuple[str, int] | None = None  # agent, end
    lease: Held | None = None
    lease_version: int = 0
    tokens: set[str] = field(default_factory=set)
    lapsed: set[str] = field(default_factory=set)
    attempts: int = 0
    excluded: tuple[str, ...] = ()
    bound: str | None = None
    required: tuple[str, ...] = ()  # decision scopes
    successors: list[str] = field(default_factory=list)
    replaced_by: str | None = None
    scope: str | None = None  # what a gate decides
    blocks: str | None = None  # the agent that a gate holds
    holds_all: bool = False  # one that names nobody either holds everybody until that is said (W6.3)
    frees: str | None = None  # the todo that a gate's answer frees
    verdict: str | None = None

    @property
    def is_user(self) -> bool:
        return self.task_class in ("user_gate", "user_action")

    @property
    def route(self) -> tuple[object, ...]:
        return (self.task_class, self.required, self.excluded, self.bound)


class Model:
    """The graph of one goal whose agents are `AGENTS`; the clock only moves forward."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.nodes: dict[str, Node] = {}
        self.facts: set[str] = set()
        self.leases: dict[str, str] = {}  # every lease ever given, and its todo

    # --- what follows from the facts -------------------------------------------------------

    def unmet(self, node: Node) -> int:
        return sum(self.nodes[dep].closure not in MET for dep in node.deps)

    def broken(self, node: Node) -> int:
        return sum(self.nodes[dep].closure in BROKEN for dep in node.deps)

    def resume_met(self, node: Node) -> int:
        if node.closure is not None or node.resume is None:
            return 0
        kind, ref, _ = node.resume
        if kind == "pr_merged":
            return int(f"{kind}:{ref}" in self.facts)
        if kind != "todo_done":
            return 0
        awaited = self.nodes[ref].closure
        return 0 if awaited is None else 1 if awaited in MET else -1

    def is_awake(self, node: Node) -> bool:
        assert node.resume is not None
        kind, _, at = node.resume
        if kind == "at":
            return at is not None and at <= self.now
        if kind == "capacity_available":
            return not self._pool_is_full()
        return self.resume_met(node) == 1

    def routes(self) -> dict[tuple[object, ...], tuple[int, int, int, int]]:
        """Open, ready, blocked and deferred todos of each group that has any."""
        counts: dict[tuple[object, ...], Counter[str]] = {}
        for node in self.nodes.values():
            if node.closure is None:
                group = counts.setdefault(node.route, Counter())
                group[node.status] += 1
                group["ready"] += node.status == "open" and self.unmet(node) == 0
        return {route: (c["open"], c["ready"], c["blocked"], c["deferred"]) for route, c in counts.items()}

    def owner(self, node: Node) -> str | None:
        if node.lease is not None:
            return node.lease.holder
        return node.claim[0] if node.claim is not None and self.now < node.claim[1] else None

    # --- time ------------------------------------------------------------------------------

    def advance(self, by: int) -> None:
        self.now += by
        for node in self.nodes.values():
            if node.lease is not None and node.lease.expires <= self.now:
                node.claim = None if self._is_tied(node) else node.claim
                node.lapsed.add(node.lease.holder)
                node.attempts += 1
                node.lease = None

    # --- guards ----------------------------------------------------------------------------

    def _closed(self, node: Node, *allowed: str) -> str | None:
        if node.status == "done":
            return "already_done"
        return None if node.closure is None and node.status in allowed else "todo_not_open"

    def _token(self, node: Node, agent: str, token: str | None) -> str | None:
        lease = node.lease
        if token is not None:
            if lease is not None and token == lease.token:
                return None if agent == lease.holder else "claim_mismatch"
            return "lease_expired" if token in node.tokens else "claim_mismatch"
        if lease is not None:
            return "claim_token_required"
        return "lease_expired" if agent in node.lapsed else None

    def _authority(self, node: Node, agent: str, *, delegable: bool = False) -> str | None:
        owner = self.owner(node)
        if owner in (None, agent) or (delegable and agent == DELEGATE):
            return None
        return "not_claim_owner"

    def _eligible(self, node: Node, agent: str) -> str | None:
        if agent in node.excluded:
            return "agent_excluded"
        return None if node.bound in (None, agent) else "agent_bound"

    def _gates(self, node: Node, agent: str) -> str | None:
        gates = [gate for gate in self.nodes.values() if gate.task_class == "user_gate"]
        unanswered = [gate for gate in gates if gate.closure is None]
        working = [other for other in self.nodes.values() if other.closure is None and not other.is_user]
        wanted = {scope for other in working for scope in other.required}
        for gate in unanswered:
            if gate.blocks is None or (gate.blocks == agent and gate.frees is None and gate.scope not in wanted):
                return "gate_open"
            if gate.frees == node.todo_id and gate.blocks == agent:
                return "gate_open"
        return "gate_open" if node.required else None

    def _ready(self, node: Node, agent: str) -> str | None:
        return self._gates(node, agent) or ("todo_blocked" if self.unmet(node) else None)

    def reaches(self, start: str, goal: str) -> bool:
        """Whether `start` waits for `goal`, directly or not, or is it."""
        pending, seen = [start], set[str]()
        while pending:
            node = pending.pop()
            if node == goal:
                return True
            if node not in seen and node in self.nodes:
                seen.add(node)
                pending += self._waited_for(self.nodes[node])
        return False

    def _waited_for(self, node: Node) -> list[str]:
        if node.closure is None and node.resume is not None and node.resume[0] == "todo_done":
            return [*node.deps, node.resume[1]]
        return node.deps

    def _pool_is_full(self) -> bool:
        return any(node.lease is not None and node.lease.pool == POOL for node in self.nodes.values())

    def _wake(self, node: Node) -> bool:
        return node.status == "deferred" and node.closure is None and self.is_awake(node)

    # --- verbs: holding --------------------------------------------------------------------

    def claim(self, node: Node, agent: str, ttl: int) -> str | None:
        wakes = self._wake(node)
        fault = None if wakes else self._closed(node, "open", "blocked")
        fault = fault or ("todo_invalid" if node.is_user else self._eligible(node, agent))
        if fault:
            return fault
        if node.claim is not None and node.claim[0] != agent and self.now < node.claim[1]:
            return "already_claimed"
        if node.lease is not None and node.lease.holder != agent:
            return "lease_conflict"
        if wakes:
            node.status, node.resume = "open", None
        node.claim = (agent, self.now + ttl)
        node.lapsed.discard(agent)
        return None

    def release(self, node: Node, agent: str, token: str | None) -> str | None:
        fault = self._closed(node, "open", "blocked", "deferred")
        fault = fault or self._token(node, agent, token) or self._authority(node, agent)
        if fault is None and node.claim is None and node.lease is None:
            fault = "claim_mismatch"
        if fault is None:
            node.claim = node.lease = None
        return fault

    def reassign(self, node: Node, agent: str, token: str | None, to: str) -> str | None:
        fault = self._closed(node, "open", "blocked") or ("usage" if node.is_user else None)
        fault = fault or self._token(node, agent, token) or self._authority(node, agent, delegable=True)
        fault = fault or self._eligible(node, to)
        if fault is None:
            node.claim, node.lease = (to, self.now + DAY), None
        return fault

    def acquire(self, node: Node, agent: str, scopes: tuple[str, ...] = (), pool: str | None = None) -> str | None:
        """The refusal of an acquire; `granted` then says what the lease is."""
        wakes = self._wake(node)
        fault = "todo_invalid" if node.is_user else None if wakes else self._closed(node, "open")
        fault = fault or self._eligible(node, agent)
        if fault:
            return fault
        if node.lease is not None:
            return "lease_conflict"
        if node.claim is not None and node.claim[0] != agent and self.now < node.claim[1]:
            return "lease_conflict"
        fault = self._ready(node, agent)
        if fault:
            return fault
        paths = {path for scope in scopes for path in SCOPES[scope]}
        for other in self.nodes.values():
            if other.lease is not None and any(SCOPES[scope] & paths for scope in other.lease.scopes):
                return "lease_scope_conflict"
        return "lease_conflict" if pool is not None and self._pool_is_full() else None

    def granted(self, node: Node, held: Held) -> None:
        if node.status == "deferred":
            node.status, node.resume = "open", None
        assert held.version > node.lease_version, "versions only rise"
        assert not any(held.token in other.tokens for other in self.nodes.values()), "tokens are fresh"
        node.lease, node.lease_version = held, held.version
        node.tokens.add(held.token)
        node.lapsed.discard(held.holder)
        self.leases[held.lease_id] = node.todo_id

    def hold(self, lease_id: str, agent: str, version: int | None) -> str | None:
        """The refusal of every step of a lease that its caller believes to hold."""
        node = self.nodes[self.leases[lease_id]]
        lease = node.lease
        if lease is None or lease.lease_id != lease_id:
            settled = node.closure is not None and agent not in node.lapsed
            return "already_done" if settled else "lease_expired"
        if lease.holder != agent:
            return "claim_mismatch"
        return "version_conflict" if version not in (None, lease.version) else None

    def renewed(self, node: Node, expires: int) -> None:
        assert node.lease is not None
        if self._is_tied(node):
            node.claim = (node.lease.holder, expires)
        node.lease.expires = expires
        node.lease.version = node.lease_version = node.lease_version + 1

    def moved(self, node: Node, to: str, token: str, expires: int) -> None:
        assert node.lease is not None
        if node.claim is not None:
            stays = self._is_tied(node) and to == node.lease.holder
            node.claim = (to, expires if stays else max(expires, node.claim[1]))
        node.lease.holder, node.lease.token, node.lease.expires = to, token, expires
        node.lease.version = node.lease_version = node.lease_version + 1
        node.tokens.add(token)
        node.lapsed.discard(to)

    def let_go(self, node: Node) -> None:
        if self._is_tied(node):
            node.claim = None
        node.lease = None
        node.lease_version += 1

    def _is_tied(self, node: Node) -> bool:
        return node.lease is not None and node.claim == (node.lease.holder, node.lease.expires)

    # --- verbs: lifecycle ------------------------------------------------------------------

    def wait_for(self, node: Node, condition: str) -> str | None:
        """Set the resume condition of its spelling."""
        kind, _, ref = condition.partition(":")
        if kind == "in":
            at = self.now + int(ref.removesuffix("s")) * 1_000_000
            node.resume = ("at", str(at), at)
        elif kind == "todo_done":
            awaited = self._latest(self.nodes[ref])
            if self._is_hopeless(awaited) or self.reaches(awaited.todo_id, node.todo_id):
                return "resume_condition_unsatisfiable"
            node.resume = (kind, awaited.todo_id, None)
        else:
            node.resume = (kind, ref, None)
        return None

    def defer(self, node: Node, agent: str, token: str | None, condition: str) -> str | None:
        fault = self._closed(node, "open", "blocked", "deferred") or self._human(node)
        fault = fault or self._token(node, agent, token) or self._authority(node, agent)
        fault = fault or self.wait_for(node, condition)
        if fault is None:
            node.status, node.reason, node.lease = "deferred", None, None
        return fault

    def block(self, node: Node, agent: str, token: str | None, reason: str | None, deps: list[str]) -> str | None:
        fault = self._closed(node, "open", "blocked", "deferred") or self._human(node)
        fault = fault or self._token(node, agent, token) or self._authority(node, agent)
        fault = fault or self._cycle(node, deps)
        edges = list(dict.fromkeys((*node.deps, *deps)))
        if fault is None and (not reason if node.task_class == "blocker" else not (reason or edges)):
            fault = "reason_required"
        if fault is None:
            node.status, node.reason, node.resume, node.lease, node.deps = "blocked", reason, None, None, edges
        return fault

    def reopen(self, node: Node, agent: str, token: str | None) -> str | None:
        fault = self._closed(node, "blocked", "deferred") or self._human(node)
        fault = fault or self._token(node, agent, token) or self._authority(node, agent)
        if fault is None and node.task_class == "blocker":
            fault = "reason_required"
        if fault is None:
            node.status, node.reason, node.resume = "open", None, None
        return fault

    def edges(self, node: Node, agent: str, token: str | None, add: list[str], remove: list[str]) -> str | None:
        fault = self._closed(node, "open", "blocked", "deferred")
        fault = fault or self._token(node, agent, token) or self._authority(node, agent)
        edges = [dep for dep in dict.fromkeys((*node.deps, *add)) if dep not in remove]
        fault = fault or self._cycle(node, edges)
        causeless = node.status == "blocked" and not (node.reason or edges)
        aimless = node.task_class == "blocker" and not (node.reason or node.resume)
        if fault is None and (causeless or aimless):
            fault = "reason_required"
        if fault is None:
            node.deps = edges
        return fault

    def complete(
        self, node: Node, agent: str, token: str | None, closure: str, successor: str | None = None
    ) -> str | None:
        fault = self._human(node) or self._closed(node, "open")
        fault = fault or self._token(node, agent, token) or self._authority(node, agent, delegable=True)
        fault = fault or self._eligible(node, agent)
        fault = fault or (None if node.is_user else self._gates(node, agent))
        fault = fault or ("todo_blocked" if self.unmet(node) else None)
        fault = fault or ("successor_invalid" if successor == node.todo_id else None)
        if fault is None:
            if self.owner(node) in (None, agent) and (node.claim is None or node.claim[0] != agent):
                node.claim = (agent, self.now)
            node.status, node.closure, node.lease = "done", closure, None
            if successor is not None and successor not in node.successors:
                node.successors.append(successor)
        return fault

    def supersede(self, node: Node, agent: str, token: str | None, new: str | None) -> str | None:
        """The refusal; `superseded` carries it out once the replacement's id is known."""
        fault = self._closed(node, "open", "blocked", "deferred") or self._human(node)
        fault = fault or self._token(node, agent, token) or self._authority(node, agent, delegable=True)
        fault = fault or self._eligible(node, agent)
        if fault is None and new is not None:
            fault = "successor_invalid" if new == node.todo_id else self._unmovable(node, self.nodes[new])
        return fault

    def _unmovable(self, old: Node, new: Node) -> str | None:
        for other in self.nodes.values():
            if old.todo_id in other.deps and self.reaches(new.todo_id, other.todo_id):
                return "dependency_cycle"
        final = self._latest(new)
        for other in self.nodes.values():
            waits = other.closure is None and other.resume and other.resume[:2] == ("todo_done", old.todo_id)
            if waits and (self._is_hopeless(final) or self.reaches(final.todo_id, other.todo_id)):
                return "resume_condition_unsatisfiable"
        return None

    def current(self, todo_ids: list[str]) -> list[str]:
        """What a link to these todos leads to, each once: a new one to a superseded todo goes to its replacement."""
        return list(dict.fromkeys(self._latest(self.nodes[todo_id]).todo_id for todo_id in todo_ids))

    def _latest(self, node: Node) -> Node:
        while node.closure == "superseded" and node.replaced_by:
            node = self.nodes[node.replaced_by]
        return node

    def _is_hopeless(self, node: Node) -> bool:
        return node.closure in BROKEN or node.task_class == "continuous_monitor"

    def superseded(self, node: Node, new: str | None) -> None:
        if new is not None:
            self._move(node, self.nodes[new])
            node.successors = list(dict.fromkeys((*node.successors, new)))
        node.status, node.closure, node.lease, node.resume = "deferred", "superseded", None, None
        node.replaced_by = new

    def _move(self, old: Node, new: Node) -> None:
        for other in self.nodes.values():
            other.deps = list(dict.fromkeys(new.todo_id if dep == old.todo_id else dep for dep in other.deps))
            if other.closure is None and other.resume and other.resume[:2] == ("todo_done", old.todo_id):
                other.resume = ("todo_done", self._latest(new).todo_id, None)
            if other.closure is None and other.frees == old.todo_id:
                other.frees = None if other is new else new.todo_id
        if new.closure is None:
            new.required = tuple(dict.fromkeys((*new.required, *old.required)))

    def answer(self, gate: Node, verdict: str) -> str | None:
        fault = "todo_invalid" if gate.task_class != "user_gate" else None
        fault = fault or self._closed(gate, "open", "blocked", "deferred")
        if fault is None:
            gate.status, gate.closure, gate.verdict, gate.resume = "done", "completed", verdict, None
            if verdict == "approve" and gate.scope is not None:
                freed = [self.nodes[gate.frees]] if gate.frees else list(self.nodes.values())
                for node in freed:
                    if node.closure is None:
                        node.required = tuple(scope for scope in node.required if scope != gate.scope)
        return fault

    def _human(self, node: Node) -> str | None:
        return "user_decision_required" if node.task_class == "user_gate" else None

    def _cycle(self, node: Node, deps: list[str]) -> str | None:
        new = [dep for dep in deps if dep not in node.deps]
        return "dependency_cycle" if any(self.reaches(dep, node.todo_id) for dep in new) else None
