"""`plane.todos`: the work graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from loopx.api.desk import LIMIT, Desk, page
from loopx.api.fields import PatchFields, new_todo, todo_patch
from loopx.api.how import Changing, Holding, NewFields, member, parted, told_how, words
from loopx.api.span import microseconds
from loopx.app.claim_next import Wish, claim_next
from loopx.app.decide import Question, why_todo
from loopx.app.lease import DEFAULT_TTL
from loopx.app.place import working_directory
from loopx.app.successors import Following
from loopx.app.todo_add import add_todo
from loopx.app.todo_claim import claim_todo, reassign_todo, release_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_list import Wanted, list_todos
from loopx.app.todo_pause import block_todo, defer_todo, reopen_todo
from loopx.app.todo_show import show_todo
from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.app.todo_update import update_todo
from loopx.core.name import normalise_name
from loopx.core.todo import ContinuationPolicy, Role, Status, TaskClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from loopx.api.document import ClaimNextV1, TodoCompleteV1, TodoListV1, TodoSupersedeV1, TodoV1, TodoWhyV1
    from loopx.api.fields import Lists
    from loopx.api.how import Policy
    from loopx.api.span import Span


class Todos(Desk):
    """Add, look, claim, complete and move todos. Each call is one transaction and answers as the command does."""

    def add(self, text: str, *, role: Role | str = Role.AGENT, **fields: Unpack[NewTodoFields]) -> TodoV1:
        """Add a todo, a gate, an action for a person, a monitor or a blocker (W1.1). DependencyMissingError."""
        own, how = parted(fields)
        new = new_todo(text, member(Role, role), own, how.reason)
        return cast("TodoV1", self._told(add_todo(self._project, self._session.call("todo_added", new, how), new)))

    def show(self, todo_id: str) -> TodoV1:
        """One todo, whole, by its id or a unique prefix. TodoNotFoundError."""
        return cast("TodoV1", self._told(show_todo(self._project, todo_id, self._session.goal_id)))

    def list(
        self,
        *,
        status: Status | str | None = None,
        task_class: TaskClass | str | None = None,
        role: Role | str | None = None,
        claimed_by: str | None = None,
        runnable_for: str | None = None,
        text_match: str | None = None,
        archived: bool = False,
        full: bool = False,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> TodoListV1:
        """A page of todos in creation order; `next_cursor` of the answer leads on."""
        wanted = Wanted(
            goal_id=self._session.goal_id,
            status=None if status is None else member(Status, status),
            task_class=None if task_class is None else member(TaskClass, task_class),
            role=None if role is None else member(Role, role),
            claimed_by=claimed_by,
            runnable_for=runnable_for,
            text_match=text_match,
            archived=archived,
        )
        return cast("TodoListV1", self._told(list_todos(self._project, wanted, page(limit, cursor), full=full)))

    def why(
        self,
        todo_id: str,
        *,
        agent_id: str | None = None,
        capabilities: Iterable[str] | None = None,
        workspace: str | None = None,
    ) -> TodoWhyV1:
        """Every stage that the todo passes or fails for an agent (this one), with facts and the next command."""
        question = Question(
            self._session.goal_id,
            self._session.agent() if agent_id is None else normalise_name(agent_id, what="agent id"),
            capability_names(capabilities),
            workspace or working_directory(),
        )
        return cast("TodoWhyV1", self._told(why_todo(self._project, question, todo_id)))

    def claim(self, todo_id: str, *, ttl: Span | None = None, **options: Unpack[Changing]) -> TodoV1:
        """Say softly that this agent is on it (W3.1); stale after `ttl` (24h). AlreadyClaimedError names the holder."""
        how = told_how(options)
        call = self._session.call("todo_claimed", (todo_id, microseconds(ttl)), how)
        return cast("TodoV1", self._told(claim_todo(self._project, call, todo_id, microseconds(ttl))))

    def release(self, todo_id: str, **options: Unpack[Holding]) -> TodoV1:
        """Give a claim up, and with it a lease, whose token is then needed. NotClaimOwnerError."""
        call = self._session.call("todo_released", todo_id, told_how(options))
        return cast("TodoV1", self._told(release_todo(self._project, call, todo_id)))

    def reassign(self, todo_id: str, *, to: str, **options: Unpack[Holding]) -> TodoV1:
        """Give a claim to another agent; a peer's claim needs the grant `reassign` (W4)."""
        call = self._session.call("todo_reassigned", (todo_id, to), told_how(options))
        return cast("TodoV1", self._told(reassign_todo(self._project, call, todo_id, to)))

    def claim_next(
        self,
        *,
        ttl: Span | None = None,
        capabilities: Iterable[str] | None = None,
        workspace: str | None = None,
        **options: Unpack[Changing],
    ) -> ClaimNextV1:
        """Take the first ready todo under a lease with its token (S2); `claim` is None where nothing is ready."""
        wish = Wish(microseconds(ttl) or DEFAULT_TTL, capability_names(capabilities), workspace or working_directory())
        call = self._session.call("todo_claimed_next", wish, told_how(options))
        return cast("ClaimNextV1", self._told(claim_next(self._project, call, wish)))

    def complete(
        self,
        todo_id: str,
        *,
        evidence: str | None = None,
        failed: bool = False,
        meets: Iterable[str] = (),
        next_agent_todos: Iterable[str] = (),
        next_user_todos: Iterable[str] = (),
        successor_todo_ids: Iterable[str] = (),
        no_follow_up: bool = False,
        next_continuation_policy: ContinuationPolicy | Policy | None = None,
        next_claimed_by: str | None = None,
        workspace: str | None = None,
        **options: Unpack[Holding],
    ) -> TodoCompleteV1:
        """Close a todo with its evidence and say what follows, or that nothing does (W10.1, S2.6).

        LeaseExpiredError, ClaimMismatchError, NotClaimOwnerError, GateOpenError, EvidenceRequiredError,
        ValidationFailedError: its validation command runs in `workspace`, by default the current folder.
        """
        completion = Completion(
            evidence=evidence,
            failed=failed,
            meets=words(meets),
            following=Following(
                agent_todos=words(next_agent_todos),
                user_todos=words(next_user_todos),
                successor_ids=words(successor_todo_ids),
                no_followup=no_follow_up,
                policy=next_continuation_policy and member(ContinuationPolicy, next_continuation_policy),
                claimed_by=next_claimed_by,
            ),
            folder=workspace or working_directory(),
        )
        call = self._session.call("todo_completed", (todo_id, completion), told_how(options))
        return cast("TodoCompleteV1", self._told(complete_todo(self._project, call, todo_id, completion)))

    def supersede(
        self,
        todo_id: str,
        *,
        next_agent_todo: str | None = None,
        successor_todo_id: str | None = None,
        no_replacement: bool = False,
        **options: Unpack[Holding],
    ) -> TodoSupersedeV1:
        """Replace a todo without calling it done; what waits for it waits for the replacement (W10.4).

        ReasonRequiredError without a `reason`.
        """
        replacement = Replacement(next_agent_todo, successor_todo_id, no_replacement)
        call = self._session.call("todo_superseded", (todo_id, replacement), told_how(options))
        return cast("TodoSupersedeV1", self._told(supersede_todo(self._project, call, todo_id, replacement)))

    def defer(self, todo_id: str, *, resume_when: str | None = None, **options: Unpack[Holding]) -> TodoV1:
        """Let a todo sleep until its condition holds, such as `in:2h` (W10.5). ResumeConditionInvalidError."""
        call = self._session.call("todo_deferred", (todo_id, resume_when), told_how(options))
        return cast("TodoV1", self._told(defer_todo(self._project, call, todo_id, resume_when)))

    def block(self, todo_id: str, *, blocked_by: Iterable[str] = (), **options: Unpack[Holding]) -> TodoV1:
        """Hold a todo by a `reason`, by other todos, or by both. ReasonRequiredError, DependencyCycleError."""
        edges = words(blocked_by)
        call = self._session.call("todo_blocked", (todo_id, edges), told_how(options))
        return cast("TodoV1", self._told(block_todo(self._project, call, todo_id, edges)))

    def reopen(self, todo_id: str, **options: Unpack[Holding]) -> TodoV1:
        """Open a blocked or deferred todo; what it is blocked by stays. TodoNotOpenError."""
        call = self._session.call("todo_reopened", todo_id, told_how(options))
        return cast("TodoV1", self._told(reopen_todo(self._project, call, todo_id)))

    def update(
        self,
        todo_id: str,
        *,
        add: Lists | None = None,
        remove: Lists | None = None,
        clear: Iterable[str] = (),
        **fields: Unpack[ChangedFields],
    ) -> TodoV1:
        """Change fields; lists are emptied by `clear`, then added to, then taken from. UserDecisionRequiredError."""
        own, how = parted(fields)
        patch = todo_patch(own, _plain(add), _plain(remove), clear)
        call = self._session.call("todo_updated", (todo_id, patch), how)
        return cast("TodoV1", self._told(update_todo(self._project, call, todo_id, patch)))


class NewTodoFields(NewFields, Changing, total=False):
    """What `add` takes beside the text and whose it is."""


class ChangedFields(PatchFields, Holding, total=False):
    """What `update` takes beside the lists."""


def capability_names(given: Iterable[str] | None) -> tuple[str, ...] | None:
    """What the caller says it can do, in the one spelling of names; None where it says nothing."""
    if given is None:
        return None
    return tuple(normalise_name(name, what="capability") for name in words(given)) or None


def _plain(lists: Lists | None) -> Mapping[str, Iterable[str]]:
    return cast("Mapping[str, Iterable[str]]", lists or {})
