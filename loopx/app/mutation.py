"""What every mutation has in common: one transaction, one event, one receipt (S1.6, design.md §3).

In order: what time has done to leases, the registry as it is now, an earlier answer of the same operation,
the goal and the actor; then the verb's own change; then its event, the kept answer and the receipt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.app.entry_warning import secret_warnings
from loopx.app.expiry import settle_leases
from loopx.app.project import Project, Registry, registered_agent
from loopx.core.actor import Actor
from loopx.core.authority import AUTHORITY_SOURCE, OVERRIDE_MODE, AuthorityUse
from loopx.core.errors import GoalNotActiveError, LoopxError, RoleNotAllowedError
from loopx.core.goal import Goal, GoalState
from loopx.core.lifecycle import Hand
from loopx.core.text import checked_text
from loopx.core.value import Value
from loopx.settings import TEAMMATE
from loopx.store.events import Event, canonical
from loopx.store.operations import record_answer, recorded_answer
from loopx.store.registry_cache import fill_cache, see_sha256

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.core.instant import Instant
    from loopx.core.todo import Todo
    from loopx.store.transaction import Transaction

LEAD_ONLY = frozenset(
    (
        "project_initialised", "todo_added", "checklist_imported", "records_imported", "gate_answered", "gate_revoked",
        "goal_added", "goal_updated", "goal_paused", "goal_resumed", "goal_closed", "goal_reopened", "goal_accepted",
        "agent_registered", "agent_retired", "authority_granted", "authority_revoked", "pool_set", "material_added",
        "doctor_fixed", "restored", "state_moved", "operation_undone", "todos_archived",
        "plan_approved", "plan_rejected", "shutdown_requested",
    )
)  # fmt: skip

Document = dict[str, Any]  # a JSON document on its way out; its schema is its type


class Call(Value):
    """What a mutating call says beside the verb's own request.

    `intent` is everything that makes two calls the same call; `operation_id` makes a retry safe.
    """

    action: str
    actor: Actor
    intent: object
    goal_id: str | None = None
    reason: str | None = None
    operation_id: str | None = None
    dry_run: bool = False
    full: bool = False
    as_user: bool = False
    claim_token: str | None = None
    authority_reason: str | None = None
    mends_graph: bool = False
    needs_active_goal: bool = True
    role: str | None = None


class Outcome(Value):
    """What a verb changed: its document, and what its event and receipt say beyond the changes."""

    body: Document
    todo_id: str | None = None
    authority: AuthorityUse | None = None
    next_command: str | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[tuple[str, object], ...] = ()
    records: bool = True  # False where nothing was asked for that could change: no event, nothing written


class Work:
    """What a verb works with inside the transaction."""

    def __init__(self, project: Project, tx: Transaction, call: Call, registry: Registry) -> None:
        self.project = project
        self.tx = tx
        self.call = call
        self.registry = registry
        self._goal: Goal | None = None

    @property
    def now(self) -> Instant:
        return self.tx.now

    @property
    def actor(self) -> Actor:
        return self.call.actor

    @property
    def goal(self) -> Goal:
        """The goal of the call, once `enter_goal` or `mutate` has named it."""
        if self._goal is None:
            self.enter_goal(self.call.goal_id)
        assert self._goal is not None
        return self._goal

    @property
    def must_find_goal(self) -> bool:
        """Whether the goal is still open: none was named or entered, and there is not just one."""
        return self._goal is None and self.call.goal_id is None and len(self.registry.goal_ids) != 1

    def enter_goal(self, goal_id: str | None) -> Goal:
        """Work on this goal; GoalNotFoundError, GoalNotActiveError, AgentNotRegisteredError."""
        goal = self.registry.goal(goal_id)
        if self.actor.agent_id is not None:
            registered_agent(goal, self.actor.agent_id)
        if goal.state is GoalState.CLOSED and self.call.needs_active_goal:
            raise GoalNotActiveError(
                f"the goal {goal.goal_id} is closed",
                hint="`loopx goal reopen` opens it again.",
                goal_id=goal.goal_id,
            )
        self._goal = goal
        return goal

    def refuse_pause(self) -> None:
        """GoalNotActiveError for a verb that starts work while the goal is paused."""
        if self.goal.state is not GoalState.ACTIVE:
            raise GoalNotActiveError(
                f"the goal {self.goal.goal_id} is {self.goal.state}",
                hint="A person lets work start again with `loopx goal resume`.",
                goal_id=self.goal.goal_id,
            )

    def use_registry(self, registry: Registry) -> None:
        """Go on with the registry as this call has left it; who acts was checked before the change."""
        self.registry = registry
        if self._goal is not None:
            self._goal = registry.find(self._goal.goal_id)

    def refuse_stranger(self) -> None:
        """AgentNotRegisteredError where the acting agent belongs to no goal, for what concerns all goals."""
        agent_id = self.actor.agent_id
        if agent_id is None or any(_acts_for(goal, agent_id) for goal in self.registry.goals()):
            return
        self.enter_goal(self.call.goal_id or self.registry.goal_ids[0])

    @property
    def active_agents(self) -> frozenset[str]:
        """The agents whose claims count."""
        return frozenset(agent.agent_id for agent in self.goal.active_agents)

    def hand(self, todo: Todo) -> Hand:
        """Who reaches for that todo, and with what."""
        token, agent_id = self.call.claim_token, self.actor.agent_id
        return Hand(
            actor=self.actor,
            active_agents=self.active_agents,
            grants=self.goal.grants,
            token=token,
            token_known=token is not None and self.tx.knows_token(todo, token),
            lapsed=agent_id is not None and self.tx.has_lapsed(todo, agent_id),
            as_user=self.call.as_user,
            authority_reason=self.call.authority_reason,
        )


def _acts_for(goal: Goal, agent_id: str) -> bool:
    agent = goal.agent(agent_id)
    return agent is not None and not agent.retired


def mutate(project: Project, call: Call, change: Callable[[Work], Outcome]) -> Document:
    """Carry out one mutation and return its document with the receipt.

    A retry of the same operation returns the first answer with `replayed: true`.
    OperationConflictError for another intent under the same id. What time has done to leases is stored
    even where the change itself is refused.
    """
    refuse_shaping_by_teammates(call)
    _refuse_odd_words(call)
    refusal: LoopxError | None = None
    with project.store.write(dry_run=call.dry_run, mends_graph=call.mends_graph) as tx:
        settled = settle_leases(tx)
        registry = _current_registry(project, tx, dry_run=call.dry_run)
        if call.operation_id is not None:
            answer = recorded_answer(tx.db, call.operation_id, intent_of(call))
            if answer is not None:
                answer["receipt"]["replayed"] = True
                return answer | ({"dry_run": True} if call.dry_run else {})
        work = Work(project, tx, call, registry)
        if not settled:
            return _carried_out(work, change)
        try:
            with tx.refusable():
                return _carried_out(work, change)
        except LoopxError as refused:
            refusal = refused
    assert refusal is not None
    raise refusal


def intent_of(call: Call) -> str:
    """By which a retry of the same operation is told from another call under its id."""
    return canonical([call.action, call.intent])


def _carried_out(work: Work, change: Callable[[Work], Outcome]) -> Document:
    """The document of the change, with its event and the kept answer stored."""
    tx, call = work.tx, work.call
    outcome = change(work)
    if not outcome.records:
        return {
            **outcome.body,
            "receipt": None,
            **({"dry_run": True} if call.dry_run else {}),
            "state": tx.opening.state,
            "warnings": list(outcome.warnings),
        }
    operation_id = call.operation_id or tx.new_operation_id()
    document = _recorded(tx, work, outcome, operation_id)
    if call.operation_id is not None:
        record_answer(tx.db, operation_id, intent_of(call), document, document["receipt"]["sequence"])
    if call.dry_run:
        document["dry_run"] = True
    return document


def _refuse_odd_words(call: Call) -> None:
    """What is kept in the event says something, and an empty operation id would not make a retry safe."""
    if call.reason is not None:
        checked_text(call.reason, field="reason")
    if call.authority_reason is not None:
        checked_text(call.authority_reason, field="authority reason")
    if call.operation_id is not None:
        checked_text(call.operation_id, field="operation id")


def refuse_shaping_by_teammates(call: Call) -> None:
    """RoleNotAllowedError where a teammate calls a verb that shapes the team's work (S3.2)."""
    if call.action in LEAD_ONLY:
        refuse_teammate(call, call.action)


def refuse_teammate(call: Call, act: str) -> None:
    """RoleNotAllowedError where a teammate would add work, answer a gate or change the team, at any door."""
    if call.role == TEAMMATE:
        raise RoleNotAllowedError(
            f"a teammate may not do this ({act})",
            hint="Ask the lead; a teammate reads, claims and completes work.",
            action=act,
        )


def _recorded(tx: Transaction, work: Work, outcome: Outcome, operation_id: str) -> Document:
    receipt = _authority_receipt(outcome)
    sequence = tx.append(
        Event(
            at=tx.now,
            actor_kind=work.actor.kind.value,
            actor=work.actor.agent_id or work.actor.kind.value,
            action=work.call.action,
            goal_id=work.goal.goal_id if work.call.goal_id or outcome.todo_id else None,
            todo_id=outcome.todo_id,
            changes=tx.changes,
            reason=work.call.reason,
            receipt={**{k: v for k, v in receipt.items() if v is not None}, **dict(outcome.notes)},
            operation_id=operation_id,
        ),
    )
    document = dict(outcome.body)
    document["receipt"] = {
        "event": work.call.action,
        "sequence": sequence,
        "operation_id": operation_id,
        "replayed": False,
        **receipt,
        "next_command": outcome.next_command,
    }
    document["state"] = tx.opening.state
    document["warnings"] = [*outcome.warnings, *secret_warnings(tx.changes, work.call.intent, work.call.reason)]
    return document


def _authority_receipt(outcome: Outcome) -> dict[str, Any]:
    use = outcome.authority
    return {
        "mode": OVERRIDE_MODE if use else None,
        "authority_source": AUTHORITY_SOURCE if use else None,
        "authority_action": use.action.value if use else None,
        "authority_reason": use.reason if use else None,
    }


def _current_registry(project: Project, tx: Transaction, *, dry_run: bool) -> Registry:
    """The registry of the file's bytes; a hand edit since the last write becomes an event."""
    registry = project.registry(tx.db)
    seen = tx.opening.registry_sha256
    if seen not in (None, registry.sha256):
        from loopx.app.hand_edit import record_hand_edit

        record_hand_edit(tx, seen or "", registry)
    if registry.legacy_goals and not dry_run:
        from loopx.app.legacy import migrate_legacy_goals

        registry = migrate_legacy_goals(project, tx, registry)
    if seen != registry.sha256:
        see_sha256(tx.db, registry.sha256)
    if seen != registry.sha256 or not registry.is_cached:
        cache_registry(tx, registry)
    return registry


def cache_registry(tx: Transaction, registry: Registry) -> None:
    """Keep the parsed goals for the calls that follow."""
    goals = [(goal_id, registry.encoded(goal_id) or "") for goal_id in registry.goal_ids]
    fill_cache(tx.db, registry.sha256, goals)
