"""A second opinion on the decision, by brute force over plain todos.

It knows nothing of cohorts, stages or surveys: for each todo it writes down every complaint in one
pass, then asks the rows of the contract as set questions. It reads `decision.md`, not the compiler.
"""

from __future__ import annotations

from typing import NamedTuple

from loopx.core.goal import GoalState
from loopx.core.todo import Closure, Role, Status, TaskClass, Todo, Verdict
from tests.unit.decision_world import World, is_awake, is_gap, is_hopeless

TOOLS = frozenset(("shell", "browser"))
_GRAIN = ("action", "lane", "goal", "project", "global")
_DONE_WELL = (Closure.COMPLETED, Closure.NO_FOLLOWUP)

PEERS = frozenset(("bound_elsewhere", "agent_excluded", "peer_gate_open", "claimed_by_peer", "leased_by_peer"))
QUIET = frozenset(("blocked", "blocker_open", "deferred", "monitor_not_due"))
MENDED_BY_ANYBODY = frozenset(("outside_goal_boundary", "decision_scope_without_gate", "decision_rejected"))
MENDED_BY_HOLDER = frozenset(
    (
        "blocked_without_cause", "blocker_without_cause", "blocker_recovered", "deferred_without_condition",
        "resume_unsatisfiable", "monitor_expired", "dependency_failed", "dependency_superseded",
        "no_eligible_agent",
    )
)  # fmt: skip
BUDGET = frozenset(("slots_used", "tokens_used", "cost_used"))


class Opinion(NamedTuple):
    mode: str
    selected: str | None
    complaints: dict[str, list[str]]  # of every open agent todo, in stage order
    runnable: int


def opinion(world: World) -> Opinion:
    """The mode, the selected todo, and every complaint about every open agent todo."""
    return _Judge(world).judge()


class _Judge:
    def __init__(self, world: World) -> None:
        self.world = world
        self.me = world.caller.agent_id
        self.team = {agent.agent_id for agent in world.agents if not agent.retired}
        self.work = [t for t in world.todos if t.role is Role.AGENT and t.closure is None]
        self.open_gates = [t for t in world.todos if t.gate and t.closure is None]
        self.answered = sorted(
            (t for t in world.todos if t.gate and t.gate.decision),
            key=lambda t: (t.gate.decision.decided_at, t.sequence),  # type: ignore[union-attr]
        )

    # --- the whole -----------------------------------------------------------------------

    def judge(self) -> Opinion:
        bar = self.bar()
        complaints = {t.todo_id: self.complaints(t) for t in self.work}
        if bar is not None:
            for t in self.work:
                if bar[1] != "lane" or t.task_class is not TaskClass.MONITOR:
                    complaints[t.todo_id].insert(0, bar[0])
        free = [t for t in self.work if not complaints[t.todo_id]]
        works = sorted((t for t in free if t.task_class is TaskClass.ADVANCEMENT), key=self.order)
        polls = sorted((t for t in free if t.task_class is TaskClass.MONITOR), key=self.order)
        mode, chosen = self.mode(bar, works, polls, complaints)
        return Opinion(mode, chosen.todo_id if chosen else None, complaints, len(works))

    def order(self, t: Todo) -> tuple[int, int, int]:
        return (t.priority, 0 if self.holder(t) == self.me else 1, t.sequence)

    def mode(
        self,
        bar: tuple[str, str] | None,
        works: list[Todo],
        polls: list[Todo],
        complaints: dict[str, list[str]],
    ) -> tuple[str, Todo | None]:
        if bar is not None:
            if bar[1] == "lane" and polls:
                return "monitor_poll", polls[0]
            return (bar[1] if bar[1] != "lane" else "user_gate"), None
        if works:
            pressing = [p for p in polls if self.order(p) < self.order(works[0]) or self.overdue(p)]
            return ("monitor_poll", pressing[0]) if pressing else ("bounded_delivery", works[0])
        if polls:
            return "monitor_poll", polls[0]
        return self.idle_mode(complaints), None

    def idle_mode(self, complaints: dict[str, list[str]]) -> str:
        by_id = {t.todo_id: t for t in self.work}
        alone = {rows[0] for rows in complaints.values() if len(rows) == 1}
        rooted = {i: set(rows) for i, rows in complaints.items() if "dependency_open" not in rows}
        held = {i for i in rooted if self.holder(by_id[i]) not in (None, self.me)}
        said = set().union(*rooted.values()) if rooted else set()
        mends = {c for i, rows in rooted.items() for c in rows & MENDED_BY_HOLDER if i not in held}
        waits_for_holder = any(rows & MENDED_BY_HOLDER for i, rows in rooted.items() if i in held)
        persons = [t for t in self.world.todos if t.role is Role.USER and t.closure is None]
        rows: list[tuple[bool, str]] = [
            ("workspace_not_independent" in alone, "workspace_repair"),
            ("capability_missing" in alone, "capability_repair"),
            ("authority_missing" in alone, "owner_authorization"),
            (bool(BUDGET & alone), "quota_wait"),
            (bool(mends or said & MENDED_BY_ANYBODY), "control_plane_self_repair"),
            ("monitor_no_change_limit" in alone, "replan"),
            ("gate_open" in alone, "user_gate"),
            (bool(said & PEERS) or waits_for_holder, "wait_peers"),
            (bool(said & QUIET) or len(persons) > len(self.open_gates), "quiet_wait"),
        ]
        for applies, mode in rows:
            if applies:
                return mode
        if not self.work and not self.open_gates:
            return "replan" if self.has_gap() else "terminal_no_followup"
        return self.last_resort(rooted, complaints, by_id)

    def last_resort(self, rooted: dict[str, set[str]], complaints: dict[str, list[str]], by_id: dict[str, Todo]) -> str:
        if rooted:
            best = min(rooted, key=lambda i: self.order(by_id[i]))
            return {
                "workspace_not_independent": "workspace_repair",
                "capability_missing": "capability_repair",
                "authority_missing": "owner_authorization",
                "monitor_no_change_limit": "replan",
                "gate_open": "user_gate",
            }.get(complaints[best][0], "quota_wait")
        mine = [g for g in self.open_gates if self.reach(g) != "other"]
        return "user_gate" if mine else "wait_peers" if self.open_gates else "quiet_wait"

    def has_gap(self) -> bool:
        todos = list(self.world.todos)
        return not todos or bool(self.world.unmet_criteria) or any(is_gap(t, todos) for t in todos)

    def overdue(self, t: Todo) -> bool:
        return bool(
            t.polling and t.polling.poll_every and self.world.now - t.polling.next_due_at >= t.polling.poll_every
        )

    # --- gates ---------------------------------------------------------------------------

    def reach(self, g: Todo) -> str:
        assert g.gate
        if g.gate.global_gate:
            return "all"
        if g.gate.blocks_agent == self.me:
            return "me"
        if g.gate.blocks_agent in self.team:
            return "other"
        return "nobody" if len(self.team) == 1 else "incomplete"

    def bar(self) -> tuple[str, str] | None:
        """What bars everything: its code, and the mode or `lane`."""
        if self.world.state is GoalState.PAUSED:
            return "goal_paused", "paused"
        if self.world.state is GoalState.CLOSED:
            return "goal_closed", "terminal_no_followup"
        gates = sorted(self.open_gates, key=lambda t: (t.priority, t.sequence))
        for g in gates:
            if self.reach(g) == "incomplete":
                assert g.gate
                code = "missing_scope" if g.gate.blocks_agent is None else "inactive_agent"
                codes = {
                    "missing_scope": "multi_agent_user_gate_missing_scope",
                    "inactive_agent": "user_gate_blocks_inactive_agent",
                }
                return codes[code], "control_plane_self_repair"
        if any(self.reach(g) == "all" for g in gates):
            return "global_gate_open", "lane"
        for g in gates:
            assert g.gate
            needed = any(_decides(g, scope) for t in self.work for scope in t.route.required_decision_scopes)
            if self.reach(g) == "me" and g.gate.unblocks_todo_id is None and not needed:
                return "lane_gate_open", "lane"
        return None

    # --- one todo ------------------------------------------------------------------------

    def holder(self, t: Todo) -> str | None:
        if t.lease and t.lease.expires_at > self.world.now:
            return t.lease.holder
        if t.claim and t.claim.expires_at > self.world.now and t.claim.agent_id in self.team:
            return t.claim.agent_id
        return None

    def complaints(self, t: Todo) -> list[str]:
        found = [
            self.life(t),
            self.waiting(t),
            self.audience(t),
            self.decided(t),
            self.able(t),
            self.held(t),
            self.placed(t),
            self.paid(t),
        ]
        return [code for code in found if code]

    def life(self, t: Todo) -> str | None:
        awake = is_awake(t, self.world)
        if t.status is Status.DEFERRED and not awake:
            if t.resume is None:
                return "deferred_without_condition"
            return "resume_unsatisfiable" if is_hopeless(t, self.world) else "deferred"
        stated = t.block_reason or t.resume or self.unmet(t)
        if t.task_class is TaskClass.BLOCKER:
            if awake:
                return "blocker_recovered"
            return "blocker_open" if stated else "blocker_without_cause"
        if t.status is Status.BLOCKED:
            return "blocked" if stated else "blocked_without_cause"
        if t.task_class is TaskClass.MONITOR:
            assert t.polling
            if t.polling.expires_at is not None and t.polling.expires_at <= self.world.now:
                return "monitor_expired"
            if t.polling.next_due_at > self.world.now:
                over = t.polling.consecutive_no_change >= 10
                return "monitor_no_change_limit" if over else "monitor_not_due"
        return None

    def unmet(self, t: Todo) -> list[Closure | None]:
        closures = {other.todo_id: other.closure for other in self.world.todos}
        return [closures[i] for i in t.blocked_by if closures[i] not in _DONE_WELL]

    def waiting(self, t: Todo) -> str | None:
        unmet = self.unmet(t)
        dead = [closure for closure in unmet if closure is not None]
        if dead:
            return "dependency_failed" if dead[0] is Closure.FAILED else "dependency_superseded"
        return "dependency_open" if unmet else None

    def audience(self, t: Todo) -> str | None:
        takers = {a for a in self.team if a not in t.route.excluded_agents}
        if t.route.bound_agent:
            takers &= {t.route.bound_agent}
        if not takers:
            return "no_eligible_agent"
        allowed = self.world.boundary
        if allowed.repositories and t.route.task_repository not in (None, *allowed.repositories):
            return "outside_goal_boundary"
        if allowed.write_scopes and not set(t.route.required_write_scopes) <= set(allowed.write_scopes):
            return "outside_goal_boundary"
        if t.route.bound_agent not in (None, self.me):
            return "bound_elsewhere"
        return None if self.me in takers else "agent_excluded"

    def decided(self, t: Todo) -> str | None:
        found = {self.scope(scope) for scope in t.route.required_decision_scopes} | {self.linked(t)}
        order = ("decision_rejected", "decision_scope_without_gate", "gate_open", "peer_gate_open")
        return next((code for code in order if code in found), None)

    def linked(self, t: Todo) -> str | None:
        naming = [g for g in self.open_gates if g.gate and g.gate.unblocks_todo_id == t.todo_id]
        if any(self.reach(g) != "other" for g in naming):
            return "gate_open"
        answers = [g for g in self.answered if g.gate and g.gate.unblocks_todo_id == t.todo_id]
        if answers and _said_no(answers[-1]):
            return "peer_gate_open" if naming else "decision_rejected"
        return None

    def scope(self, required: str) -> str | None:
        asking = [self.reach(g) for g in self.open_gates if _decides(g, required)]
        if asking:
            return "gate_open" if set(asking) != {"other"} else "peer_gate_open"
        answers = [g for g in self.answered if _decides(g, required)]
        if answers and _said_no(answers[-1]):
            return "decision_rejected"
        return None if answers and _stands(answers[-1]) else "decision_scope_without_gate"

    def able(self, t: Todo) -> str | None:
        registered = next(set(a.capabilities) for a in self.world.agents if a.agent_id == self.me)
        declared = set(self.world.caller.capabilities or ())
        has = {c for c in declared if c in TOOLS or c in registered} if declared else registered
        missing = set(t.route.required_capabilities) - has
        if not missing:
            return None
        return "capability_missing" if missing & TOOLS else "authority_missing"

    def held(self, t: Todo) -> str | None:
        if self.holder(t) in (None, self.me):
            return None
        return "leased_by_peer" if t.lease and t.lease.expires_at > self.world.now else "claimed_by_peer"

    def placed(self, t: Todo) -> str | None:
        place = self.world.caller.workspace
        writes = t.task_class is TaskClass.ADVANCEMENT and t.route.required_write_scopes
        if place is None or not writes or len(self.team) < 2:
            return None
        wanted = t.route.task_repository
        fits = place.kind == "independent_git_worktree" and (wanted is None or wanted in place.repositories)
        return None if fits else "workspace_not_independent"

    def paid(self, t: Todo) -> str | None:
        if t.task_class is not TaskClass.ADVANCEMENT:
            return None
        quota, world = self.world.quota, self.world
        for limit, used, code in (
            (quota.slots, world.used_slots, "slots_used"),
            (quota.tokens, world.used_tokens, "tokens_used"),
            (quota.cost, world.used_cost, "cost_used"),
        ):
            if limit is not None and used >= limit:
                return code
        return None


def _decides(g: Todo, required: str) -> bool:
    assert g.gate
    if g.gate.decision_scope is None:
        return False
    kind, grain, key = g.gate.decision_scope.split(":")
    wanted_kind, wanted_grain, wanted_key = required.split(":")
    fine_enough = _GRAIN.index(wanted_grain) <= _GRAIN.index(grain)
    return kind == wanted_kind and fine_enough and key in ("*", wanted_key)


def _said_no(g: Todo) -> bool:
    assert g.gate
    assert g.gate.decision
    return g.gate.decision.verdict is Verdict.REJECT and g.gate.decision.revoked_at is None


def _stands(g: Todo) -> bool:
    assert g.gate
    assert g.gate.decision
    decision = g.gate.decision
    return decision.verdict is Verdict.APPROVE and decision.standing and decision.revoked_at is None
