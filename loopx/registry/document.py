"""The verbs that change a registry. Each names what is missing or in the way, in our errors.

Words, names and scopes are taken through the same normalisers as everywhere, so a document never
holds a spelling that the reader would refuse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.errors import (
    ActionNotDelegatedError,
    AgentNotRegisteredError,
    GoalNotFoundError,
    NameTakenError,
    UsageError,
)
from loopx.core.glob import normalise_write_scope
from loopx.core.goal import Agent, Boundary, Criterion, Goal, GoalState, Material, QuotaPolicy
from loopx.core.instant import format_duration
from loopx.core.name import near_match, normalise_name
from loopx.core.repository import parse_repository
from loopx.core.text import checked_text
from loopx.registry.draft import Draft, Path
from loopx.registry.entry import (
    PEER_MODEL,
    agent_entry,
    capability_name,
    criterion_entries,
    goal_entry,
    grant_entry,
    material_entry,
)
from loopx.registry.read import LEGACY_MODEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopx.registry.model import Registry

_GRANTS = ("coordination", "todo_lifecycle_authority")
_AGENTS = ("coordination", "agents")


class RegistryDocument:
    """A registry being edited; `registry` is what it says so far."""

    def __init__(self, text: str, file: str) -> None:
        self._draft = Draft(text, file)

    @property
    def text(self) -> str:
        """The YAML text with all edits so far."""
        return self._draft.text

    @property
    def registry(self) -> Registry:
        """The goals as edited so far; RegistryInvalidError where an edit broke a rule."""
        return self._draft.registry

    # --- goals

    def add_goal(
        self, goal_id: str, objective: str, *, acceptance: Iterable[str] = (), agents: Iterable[str] = ()
    ) -> None:
        """Add an active goal; its criteria become A1, A2, …. NameTakenError, UsageError."""
        name = normalise_name(goal_id, what="goal id")
        _refuse_taken(name, (goal.goal_id for goal in self.registry.goals), "goal")
        self._draft.add(("goals",), goal_entry(name, objective, acceptance, agents), as_block=True)

    def set_objective(self, goal_id: str, objective: str) -> None:
        """Reword what the goal is about."""
        self._draft.set((*self._goal_path(goal_id), "objective"), checked_text(objective, field="objective"))

    def set_goal_state(self, goal_id: str, state: GoalState) -> None:
        """Say whether the goal is active, paused or closed."""
        if self._goal(goal_id).state is not state:
            self._draft.set((*self._goal_path(goal_id), "state"), state.value)

    def add_criteria(self, goal_id: str, texts: Iterable[str], *, used: Iterable[str] = ()) -> tuple[str, ...]:
        """Add acceptance criteria; their new ids, which follow all that are there and all of `used`.

        `used` are ids that history knows: evidence for a removed criterion must not count for a new one.
        """
        taken = [*used, *(criterion.id for criterion in self._goal(goal_id).acceptance)]
        path = (*self._goal_path(goal_id), "acceptance")
        entries = criterion_entries(texts, after=taken)
        for entry in entries:
            self._draft.add(path, entry)
        return tuple(entry["id"] for entry in entries)

    def add_criterion(self, goal_id: str, criterion: Criterion) -> None:
        """Add an acceptance criterion that has its id already. NameTakenError."""
        _refuse_taken(criterion.id, (known.id for known in self._goal(goal_id).acceptance), "criterion")
        text = checked_text(criterion.text, field="acceptance")
        self._draft.add((*self._goal_path(goal_id), "acceptance"), {"id": criterion.id, "text": text})

    def remove_criterion(self, goal_id: str, criterion_id: str) -> None:
        """Take a criterion out; UsageError where the goal has none of that id."""
        ids = [criterion.id for criterion in self._goal(goal_id).acceptance]
        at = _index_of(criterion_id, ids, what="criterion id")
        self._draft.drop((*self._goal_path(goal_id), "acceptance", at))

    def set_quota(self, goal_id: str, quota: QuotaPolicy) -> None:
        """Give the goal exactly this budget; None lifts a limit."""
        before = self._goal(goal_id).quota
        path = (*self._goal_path(goal_id), "quota")
        for key, old, new in zip(("slots", "tokens", "cost", "window"), before, quota, strict=True):
            if new is None and old is not None:
                self._draft.drop((*path, key))
            elif new is not None and new != old:
                self._draft.set((*path, key), format_duration(int(new)) if key == "window" else new)

    def set_boundary(self, goal_id: str, boundary: Boundary) -> None:
        """Let the goal's work happen in exactly these repositories and write scopes (W8.4)."""
        path = (*self._goal_path(goal_id), "boundary")
        self._set_list((*path, "repositories"), boundary.repositories, parse_repository)
        self._set_list((*path, "write_scopes"), boundary.write_scopes, normalise_write_scope)

    # --- agents

    def register_agent(self, goal_id: str, agent_id: str, capabilities: Iterable[str] = ()) -> None:
        """Register a peer, or take a retired one back. NameTakenError where it is registered."""
        goal, name = self._goal(goal_id), normalise_name(agent_id, what="agent id")
        known = goal.agent(name)
        if known is not None and known.retired:
            self._draft.drop((*self._agent_path(goal_id, name), "retired"))
            self.add_capabilities(goal_id, name, capabilities)
            return
        _refuse_taken(name, (agent.agent_id for agent in goal.agents), "agent")
        self._draft.add((*self._goal_path(goal_id), *_AGENTS), agent_entry(name, capabilities))

    def retire_agent(self, goal_id: str, agent_id: str) -> None:
        """Say that the agent has left; it may not act, and its grants wait for its return."""
        if not self._agent(goal_id, agent_id).retired:
            self._draft.set((*self._agent_path(goal_id, agent_id), "retired"), value=True)

    def add_capabilities(self, goal_id: str, agent_id: str, capabilities: Iterable[str]) -> None:
        """Register more that the agent can do."""
        wanted = [*self._agent(goal_id, agent_id).capabilities, *capabilities]
        self._set_list(self._capabilities_path(goal_id, agent_id), wanted, capability_name)

    def remove_capabilities(self, goal_id: str, agent_id: str, capabilities: Iterable[str]) -> None:
        """Take registered capabilities away; what the agent does not have is passed over."""
        gone = {capability_name(name) for name in capabilities}
        kept = [name for name in self._agent(goal_id, agent_id).capabilities if name not in gone]
        self._set_list(self._capabilities_path(goal_id, agent_id), kept, capability_name)

    # --- authority

    def grant_authority(
        self, goal_id: str, agent_id: str, actions: Iterable[str], *, requires_reason: bool = False
    ) -> None:
        """Add actions to the agent's grant; a reason once required stays required (W4.2)."""
        agent = self._agent(goal_id, agent_id)
        at = self._grant_index(goal_id, agent.agent_id)
        if at is None:
            entry = grant_entry(agent.agent_id, actions, requires_reason=requires_reason)
            self._draft.add((*self._goal_path(goal_id), *_GRANTS), entry)
            return
        grant, path = self._goal(goal_id).grants[at], (*self._goal_path(goal_id), *_GRANTS, at)
        self._set_list((*path, "actions"), [*grant.actions, *actions], str)
        if requires_reason and not grant.requires_reason:
            self._draft.set((*path, "requires_reason"), value=True)

    def revoke_authority(self, goal_id: str, agent_id: str, actions: Iterable[str] | None = None) -> None:
        """Take actions out of the agent's grant, or all of it; ActionNotDelegatedError where it lacks one."""
        agent = self._agent(goal_id, agent_id)
        at = self._grant_index(goal_id, agent.agent_id)
        granted = self._goal(goal_id).grants[at].actions if at is not None else ()
        gone = set(granted if actions is None else actions)
        if at is None or not gone <= set(granted):
            raise ActionNotDelegatedError(
                f"{agent.agent_id} has no grant of {', '.join(sorted(gone - set(granted))) or 'anything'}",
                hint=f"`loopx authority list --goal-id {goal_id}` shows the grants.",
                agent_id=agent.agent_id,
                granted=list(granted),
            )
        path = (*self._goal_path(goal_id), *_GRANTS, at)
        kept = [action for action in granted if action not in gone]
        if kept:
            self._set_list((*path, "actions"), kept, str)
        else:
            self._draft.drop(path)

    # --- pools and materials

    def set_pool(self, goal_id: str, name: str, capacity: int) -> None:
        """Make the pool, or change how many of it may be leased at once."""
        pool, path = normalise_name(name, what="pool name"), (*self._goal_path(goal_id), "pools")
        names = [known.name for known in self._goal(goal_id).pools]
        if pool in names:
            self._draft.set((*path, names.index(pool), "capacity"), capacity)
            return
        _refuse_taken(pool, names, "pool")
        self._draft.add(path, {"name": pool, "capacity": capacity})

    def add_material(self, goal_id: str, material: Material) -> None:
        """Add a document to read. NameTakenError, AgentNotRegisteredError for a reader."""
        name = normalise_name(material.id, what="material id")
        _refuse_taken(name, (known.id for known in self._goal(goal_id).materials), "material")
        readers = tuple(self._agent(goal_id, agent_id).agent_id for agent_id in material.required_for)
        entry = material_entry(material._replace(id=name, required_for=readers))
        self._draft.add((*self._goal_path(goal_id), "materials"), entry)

    # --- migration

    def migrate_agent_model(self) -> tuple[str, ...]:
        """Write `peer_v1` for `legacy_hierarchy`; the goals that had it, none the second time (W2.1)."""
        legacy = [note.goal_id for note in self.registry.legacy_models]
        for goal_id in legacy:
            for path in self._legacy_paths(goal_id):
                self._draft.set(path, PEER_MODEL)
        return tuple(legacy)

    def _legacy_paths(self, goal_id: str) -> list[Path]:
        above = self._goal_path(goal_id)
        paths = ((*above, "agent_model"), (*above, "coordination", "agent_model"))
        return [path for path in paths if self._draft.get(path) == LEGACY_MODEL]

    # --- where things are

    def _goal(self, goal_id: str) -> Goal:
        return self.registry.goals[self._goal_index(goal_id)]

    def _goal_path(self, goal_id: str) -> Path:
        return ("goals", self._goal_index(goal_id))

    def _goal_index(self, goal_id: str) -> int:
        known = [goal.goal_id for goal in self.registry.goals]
        name = normalise_name(goal_id, what="goal id")
        if name not in known:
            raise GoalNotFoundError(
                f"there is no goal {name!r}{_near(name, known)}",
                hint="`loopx goal list` shows the goals.",
                goal_id=name,
            )
        return known.index(name)

    def _agent(self, goal_id: str, agent_id: str) -> Agent:
        return self._goal(goal_id).agents[self._agent_index(goal_id, agent_id)]

    def _agent_path(self, goal_id: str, agent_id: str) -> Path:
        return (*self._goal_path(goal_id), *_AGENTS, self._agent_index(goal_id, agent_id))

    def _capabilities_path(self, goal_id: str, agent_id: str) -> Path:
        return (*self._agent_path(goal_id, agent_id), "capabilities")

    def _agent_index(self, goal_id: str, agent_id: str) -> int:
        known = [agent.agent_id for agent in self._goal(goal_id).agents]
        name = normalise_name(agent_id, what="agent id")
        if name not in known:
            raise AgentNotRegisteredError(
                f"{name!r} is not a registered agent of {goal_id}{_near(name, known)}",
                hint=f"`loopx agent list --goal-id {goal_id}` shows the registered agents.",
                agent_id=name,
                goal_id=goal_id,
            )
        return known.index(name)

    def _grant_index(self, goal_id: str, agent_id: str) -> int | None:
        holders = [grant.agent_id for grant in self._goal(goal_id).grants]
        return holders.index(agent_id) if agent_id in holders else None

    def _set_list(self, path: Path, wanted: Iterable[str], normalise: Callable[[str], str]) -> None:
        """Make the list hold exactly these, by adding and dropping items only."""
        new = list(dict.fromkeys(normalise(text) for text in wanted))
        old = [normalise(text) for text in self._draft.texts(path)]
        for at in reversed(range(len(old))):
            if old[at] not in new:
                self._draft.drop((*path, at))
        for item in new:
            if item not in old:
                self._draft.add(path, item)


# --- names -------------------------------------------------------------------------------


def _index_of(name: str, known: list[str], *, what: str) -> int:
    if name not in known:
        raise UsageError(
            f"there is no {what} {name!r}{_near(name, known)}", hint=f"Known: {', '.join(known) or 'none'}."
        )
    return known.index(name)


def _refuse_taken(name: str, known: Iterable[str], what: str) -> None:
    """NameTakenError where the name is there, in whatever case."""
    taken = {other.casefold(): other for other in known}.get(name.casefold())
    if taken is not None:
        raise NameTakenError(
            f"the {what} {name!r} is there already" + (f" as {taken!r}" if taken != name else ""),
            hint=f"Choose another name for the new {what}, or change the one that is there.",
            name=name,
            taken=taken,
        )


def _near(name: str, known: Iterable[str]) -> str:
    near = near_match(name, known)
    return f"; did you mean {near!r}?" if near else ""
