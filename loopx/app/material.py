"""Materials: declared, looked at, acknowledged (W11.5). Looking writes nothing and fetches nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.page import page_keys
from loopx.app.project import near, registered_agent
from loopx.app.registry_edit import change_registry
from loopx.contracts.material_document import frontier_document, material_document, standing_document
from loopx.core.command import command
from loopx.core.errors import (
    ActorRequiredError,
    MaterialNotFoundError,
    MaterialUnreadableError,
    UsageError,
    VersionConflictError,
)
from loopx.core.goal import Material
from loopx.core.material import (
    MaterialState,
    parse_reference,
    parse_revision,
    project_frontier,
    required_of,
    standing_of,
)
from loopx.core.name import normalise_name
from loopx.store.materials import read_revisions, stated_revisions
from loopx.workspace.material import sight

if TYPE_CHECKING:
    from loopx.app.page import Page
    from loopx.app.project import Project, Snapshot
    from loopx.core.goal import Goal
    from loopx.core.material import MaterialFrontier, Sighting, Standing
    from loopx.registry.document import RegistryDocument

MATERIAL_SCHEMA = "material_v1"
LIST_SCHEMA = "material_list_v1"
STATUS_SCHEMA = "material_status_v1"


def add_material(project: Project, call: Call, material: Material) -> Document:
    """Declare a material in the registry. NameTakenError, AgentNotRegisteredError, UsageError for its place."""
    parse_reference(material.path)

    def edit(work: Work, document: RegistryDocument) -> None:
        document.add_material(work.goal.goal_id, material)

    def answer(work: Work) -> Outcome:
        added = _declared(work.goal, normalise_name(material.id, what="material id"))
        body = _answer(work.goal, added, sight(project.location.root, added.path))
        return Outcome(body, next_command=command("material", "list", "--goal-id", work.goal.goal_id))

    return change_registry(project, call, edit, answer)


def acknowledge(project: Project, call: Call, material_id: str, revision: str | None) -> Document:
    """Record the revision that an agent has read; of what is not read here, the revision that somebody states.

    MaterialNotFoundError; MaterialUnreadableError where there is nothing to have read; VersionConflictError
    where it is at another revision now; ActorRequiredError where nobody says who read it.
    """

    def change(work: Work) -> Outcome:
        material = _declared(work.goal, normalise_name(material_id, what="material id"))
        known = stated_revisions(work.tx.db, work.goal.goal_id).get(material.id)
        sighting = sight(project.location.root, material.path, known)
        if _is_stated(material):
            sighting = _stated(work, material, revision, known)
        elif work.actor.agent_id is None:
            raise ActorRequiredError("what was read was read by an agent", hint="Say by whom with --agent-id.")
        read = _readable(material, sighting, revision)
        if work.actor.agent_id is not None:
            _note_read(work, material, read)
        body = _answer(work.goal, material, sighting)
        words = ("material", "status", "--goal-id", work.goal.goal_id)
        who = ("--agent-id", work.actor.agent_id) if work.actor.agent_id is not None else ()
        return Outcome(body, next_command=command(*words, *who))

    return mutate(project, call, change)


def _stated(work: Work, material: Material, revision: str | None, known: str | None) -> Sighting:
    """What is said of a material that nobody here reads; what is said anew is kept."""
    from loopx.core.material import Sighting

    if revision is None and known is None:
        raise UsageError(
            f"{material.id} is not fetched, so its revision has to be said",
            hint="Give with --revision what you have read: a date, a version, a digest.",
        )
    said = parse_revision(revision) if revision is not None else known
    if said != known:
        record = {
            "goal_id": work.goal.goal_id,
            "material_id": material.id,
            "revision": said,
            "stated_by": work.actor.agent_id or work.actor.kind.value,
            "stated_at": work.now,
        }
        work.tx.put("material_revisions", ("goal_id", "material_id"), record)
    return Sighting(revision=said)


def _readable(material: Material, sighting: Sighting, revision: str | None) -> str:
    """The revision that was read."""
    if sighting.revision is None:
        raise MaterialUnreadableError(
            f"{material.id} cannot be read: {sighting.why}",
            hint="Mend its place or its permissions; `loopx material list` shows the reference.",
            material_id=material.id,
            state=sighting.fault.value if sighting.fault else None,
        )
    if revision is not None and parse_revision(revision) != sighting.revision:
        raise VersionConflictError(
            f"{material.id} is at another revision now",
            hint="Read it again, then acknowledge the present revision.",
            material_id=material.id,
            revision=sighting.revision,
        )
    return sighting.revision


def _note_read(work: Work, material: Material, revision: str) -> None:
    key = ("goal_id", "material_id", "agent_id")
    record = {
        "goal_id": work.goal.goal_id,
        "material_id": material.id,
        "agent_id": work.actor.agent_id,
        "revision": revision,
        "read_at": work.now,
    }
    work.tx.put("material_reads", key, record)


def list_materials(project: Project, goal_id: str | None, page: Page) -> Document:
    """The declared materials in the order of the registry, each with its present revision."""

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        stated = stated_revisions(snapshot.db, goal.goal_id)
        numbered = list(enumerate(goal.materials, start=1))[page.after :]
        shown = [material for _, material in numbered[: page.limit]]
        return {
            "schema_version": LIST_SCHEMA,
            "ok": True,
            "goal_id": goal.goal_id,
            "materials": [material_document(one, _sighting(project, one, stated)) for one in shown],
            "total": len(goal.materials),
            **page_keys([number for number, _ in numbered], len(numbered), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


def material_status(project: Project, goal_id: str | None, agent_id: str | None, page: Page) -> Document:
    """How an agent stands to each material that it must have read. ActorRequiredError, AgentNotRegisteredError."""
    if agent_id is None:
        raise ActorRequiredError("this is told for one agent", hint="Name it with --agent-id.")
    named = agent_id

    def query(snapshot: Snapshot) -> Document:
        goal = snapshot.registry.goal(goal_id)
        standings = standings_of(project, snapshot, goal, registered_agent(goal, named))
        numbered = list(enumerate(standings, start=1))[page.after :]
        return {
            "schema_version": STATUS_SCHEMA,
            "ok": True,
            "goal_id": goal.goal_id,
            "agent_id": named,
            "materials": [standing_document(one, _next(goal, named, one)) for _, one in numbered[: page.limit]],
            "material_frontier": frontier_document(project_frontier(standings)),
            "total": len(standings),
            **page_keys([number for number, _ in numbered], len(numbered), page.limit),
            "state": snapshot.state,
        }

    return project.read(query)


def standings_of(project: Project, snapshot: Snapshot, goal: Goal, agent_id: str) -> list[Standing]:
    """How the agent stands to each material that it must have read, on a snapshot that is open already."""
    stated = stated_revisions(snapshot.db, goal.goal_id)
    read = read_revisions(snapshot.db, goal.goal_id, agent_id)
    return [
        standing_of(material, _sighting(project, material, stated), read.get(material.id))
        for material in required_of(goal.materials, agent_id)
    ]


def material_frontier(project: Project, snapshot: Snapshot, goal: Goal, agent_id: str) -> MaterialFrontier:
    """The bounded projection for a handoff to that agent."""
    return project_frontier(standings_of(project, snapshot, goal, agent_id))


def _sighting(project: Project, material: Material, stated: dict[str, str]) -> Sighting:
    return sight(project.location.root, material.path, stated.get(material.id))


def _is_stated(material: Material) -> bool:
    try:
        return parse_reference(material.path).kind.is_stated
    except UsageError:
        return False


def _next(goal: Goal, agent_id: str, standing: Standing) -> str | None:
    """What to run once the material was read; nothing where it is known or cannot be read."""
    if standing.state not in (MaterialState.STALE, MaterialState.REQUIRED_UNREAD):
        return None
    words = ("material", "ack", standing.material.id, "--goal-id", goal.goal_id, "--agent-id", agent_id)
    known = ("--revision", standing.revision) if standing.revision is not None else ()
    return command(*words, *known)


def _declared(goal: Goal, material_id: str) -> Material:
    for material in goal.materials:
        if material.id == material_id:
            return material
    known = tuple(material.id for material in goal.materials)
    raise MaterialNotFoundError(
        f"{goal.goal_id} has no material {material_id!r}{near(material_id, known)}",
        hint=f"`loopx material list --goal-id {goal.goal_id}` shows the materials.",
        material_id=material_id,
    )


def _answer(goal: Goal, material: Material, sighting: Sighting) -> Document:
    return {
        "schema_version": MATERIAL_SCHEMA,
        "ok": True,
        "goal_id": goal.goal_id,
        "material": material_document(material, sighting),
    }
