"""`refresh-state`: a run written back with its evidence and the workspace that it was done in (W9.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.held import refuse_unready
from loopx.app.mutation import Call, Document, Outcome, Work, mutate
from loopx.app.place import refuse_other_place
from loopx.app.todo_new import todo_in_goal
from loopx.contracts.run_document import run_document
from loopx.core.command import command
from loopx.core.errors import (
    ActorRequiredError,
    EvidenceRequiredError,
    NotClaimOwnerError,
    TodoInvalidError,
    WorkspaceMismatchError,
)
from loopx.core.lifecycle import authorise, refuse_ineligible, refuse_unless_open, refuse_without_token
from loopx.core.run import Run, RunKind, delivered_in
from loopx.core.text import checked_text
from loopx.core.todo import Status, TaskClass
from loopx.core.value import Value
from loopx.core.workspace import WorkspaceKind
from loopx.store.spends import delivered_before

if TYPE_CHECKING:
    from loopx.app.project import Project
    from loopx.core.todo import Todo
    from loopx.core.workspace import Workspace

RUN_SCHEMA = "run_v1"


class RunReport(Value):
    """What `refresh-state` takes."""

    todo_id: str
    kind: RunKind
    evidence: str | None = None
    validation: str | None = None
    next_action: str | None = None
    stop_condition: str | None = None


def refresh_state(project: Project, call: Call, report: RunReport, workspace: Workspace) -> Document:
    """Record one run. A work run is refused on gated, blocked or a peer's work, and in a wrong place.

    EvidenceRequiredError, GateOpenError, TodoBlockedError, NotClaimOwnerError, WorkspaceMismatchError.
    """

    def change(work: Work) -> Outcome:
        agent_id = work.actor.agent_id
        if agent_id is None:
            raise ActorRequiredError("a run is an agent's", hint="Say whose with --agent-id.")
        todo = work.tx.todo(todo_in_goal(work, report.todo_id))
        if report.kind is RunKind.WORK:
            _refuse_work(work, todo, agent_id)
        run = _run(work, todo, agent_id, report, workspace)
        if report.kind is RunKind.WORK:
            _refuse_wrong_place(run, todo)
            _refuse_other_place(work, run, todo)
        work.tx.put("runs", ("run_id",), run.record())
        body: Document = {"schema_version": RUN_SCHEMA, "ok": True, "run": run_document(run)}
        return Outcome(body, todo.todo_id, next_command=_next_command(run))

    return mutate(project, call, change)


def _refuse_work(work: Work, todo: Todo, agent_id: str) -> None:
    """Work is written back by its owner, while the todo is open or after that agent has done it."""
    if todo.task_class is not TaskClass.ADVANCEMENT:
        raise TodoInvalidError(
            f"{todo.todo_id} is a {todo.task_class}; work is done on advancement todos only",
            hint="Record what you saw with --run-kind status, or with `loopx monitor poll`.",
            todo_id=todo.todo_id,
        )
    if todo.status is Status.DONE:
        _refuse_peers_result(todo, agent_id)
    else:
        refuse_unless_open(todo)
        refuse_unready(work, todo)
        hand = work.hand(todo)
        refuse_without_token(todo, hand, work.now)
        authorise(todo, hand, None, work.now)
    refuse_ineligible(todo, agent_id)


def _refuse_peers_result(todo: Todo, agent_id: str) -> None:
    if todo.claim is not None and todo.claim.agent_id != agent_id:
        raise NotClaimOwnerError(
            f"{todo.todo_id} was done by {todo.claim.agent_id}",
            hint="Only who did it writes its work back.",
            todo_id=todo.todo_id,
            holder=todo.claim.agent_id,
        )


def _run(work: Work, todo: Todo, agent_id: str, report: RunReport, workspace: Workspace) -> Run:
    if report.evidence is None:
        raise EvidenceRequiredError("a run states its evidence", hint="Say with --evidence what it showed.")
    is_team = len(work.goal.active_agents) > 1
    return Run(
        run_id=work.tx.ids.new("run"),
        goal_id=work.goal.goal_id,
        todo_id=todo.todo_id,
        agent_id=agent_id,
        kind=report.kind,
        evidence=checked_text(report.evidence, field="evidence"),
        validation=report.validation and checked_text(report.validation, field="validation"),
        next_action=report.next_action and checked_text(report.next_action, field="next action"),
        stop_condition=report.stop_condition and checked_text(report.stop_condition, field="stop condition"),
        workspace=delivered_in(workspace, todo, is_team=is_team),
        recorded_at=work.now,
    )


def _refuse_wrong_place(run: Run, todo: Todo) -> None:
    place = run.workspace
    if place.peer_independent_worktree_required and place.workspace_kind is not WorkspaceKind.INDEPENDENT_GIT_WORKTREE:
        raise WorkspaceMismatchError(
            f"{todo.todo_id} is delivered from an independent worktree of"
            f" {todo.route.task_repository or 'its repository'}; this is a {place.workspace_kind}",
            hint="Go to your own linked worktree, or name it with --delivery-workspace.",
            todo_id=todo.todo_id,
            current_workspace=place.workspace_kind.value,
            required_workspace=WorkspaceKind.INDEPENDENT_GIT_WORKTREE.value,
        )


def _refuse_other_place(work: Work, run: Run, todo: Todo) -> None:
    """Work that writes is not carried on in another kind of place than its validated work."""
    before = delivered_before(work.tx.db, run) if todo.route.required_write_scopes else None
    if before is not None:
        refuse_other_place(before, run.workspace)


def _next_command(run: Run) -> str:
    if run.is_validated:
        return command(
            "quota",
            "spend-slot",
            "--goal-id",
            run.goal_id,
            "--agent-id",
            run.agent_id,
            "--run-id",
            run.run_id,
        )
    return command("quota", "should-run", "--goal-id", run.goal_id, "--agent-id", run.agent_id)
