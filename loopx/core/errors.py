"""The one error hierarchy. Every refusal has a stable code that scripts branch on.

    LoopxError
    ├── UsageError        exit 2   the call itself is wrong
    ├── RefusedError      exit 3   a rule forbids it
    ├── ConflictError     exit 4   another actor or version is in the way
    ├── BusyError         exit 5   a lock or time limit; try again
    ├── StorageError      exit 6   disk, permissions, corruption, schema version
    └── NotFoundError     exit 7   no such thing

A leaf states one cause and has one code; the bases are never raised. Anything else that
escapes is a bug of ours (exit 1). Codes are listed in `schemas/error.schema.json`.
"""

from __future__ import annotations


class LoopxError(Exception):
    """A refusal with a stable code, the facts behind it, and the next step.

    `message` names the rule and the fact, `hint` the next step (never a complete
    destructive command), `details` the ids and values that a script may want.
    """

    code = "internal"
    exit_code = 1
    retryable = False

    def __init__(self, message: str, *, hint: str | None = None, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details


class UsageError(LoopxError):
    """The call itself is wrong: a bad value, options that contradict, a missing one."""

    code = "usage"
    exit_code = 2


class RefusedError(LoopxError):
    """A rule forbids it, whoever asks again."""

    exit_code = 3


class ConflictError(LoopxError):
    """Another actor, version or earlier call is in the way."""

    exit_code = 4


class BusyError(LoopxError):
    """A lock was not free before the deadline."""

    exit_code = 5
    retryable = True


class StorageError(LoopxError):
    """The disk, its permissions or the stored bytes do not allow it."""

    exit_code = 6


class NotFoundError(LoopxError):
    """Nothing of that name is known."""

    exit_code = 7


# --- refused by a rule (3) ---------------------------------------------------------------


class ActionNotDelegatedError(RefusedError):
    code = "action_not_delegated"


class ActorRequiredError(RefusedError):
    code = "actor_required"


class AgentBoundError(RefusedError):
    code = "agent_bound"


class AgentExcludedError(RefusedError):
    code = "agent_excluded"


class AlreadyInitialisedError(RefusedError):
    code = "already_initialised"


class AuthorityReasonRequiredError(RefusedError):
    code = "authority_reason_required"


class ClaimTokenRequiredError(RefusedError):
    code = "claim_token_required"


class ClosureIncompleteError(RefusedError):
    code = "closure_incomplete"


class DependencyCycleError(RefusedError):
    code = "dependency_cycle"


class DependencyMissingError(RefusedError):
    code = "dependency_missing"


class DocumentInvalidError(RefusedError):
    code = "document_invalid"


class EvidenceRequiredError(RefusedError):
    code = "evidence_required"


class FileInvalidError(RefusedError):
    code = "file_invalid"


class ExtraMissingError(RefusedError):
    code = "extra_missing"


class GateOpenError(RefusedError):
    code = "gate_open"


class GoalNotActiveError(RefusedError):
    code = "goal_not_active"


class IdentityMismatchError(RefusedError):
    code = "identity_mismatch"


class ImportInvalidError(RefusedError):
    code = "import_invalid"


class LeaseExpiredError(RefusedError):
    code = "lease_expired"


class MaterialUnreadableError(RefusedError):
    code = "material_unreadable"


class ModelFailedError(RefusedError):
    code = "model_failed"


class ModelNotConfiguredError(RefusedError):
    code = "model_not_configured"


class MonitorNotDueError(RefusedError):
    code = "monitor_not_due"


class NotClaimOwnerError(RefusedError):
    code = "not_claim_owner"


class PlanNotApprovedError(RefusedError):
    code = "plan_not_approved"


class ReasonRequiredError(RefusedError):
    code = "reason_required"


class NotOnServerError(RefusedError):
    code = "not_on_server"


class OutsideGoalBoundaryError(RefusedError):
    code = "outside_goal_boundary"


class RegistryInvalidError(RefusedError):
    code = "registry_invalid"


class ResumeConditionInvalidError(RefusedError):
    code = "resume_condition_invalid"


class ResumeConditionUnsatisfiableError(RefusedError):
    code = "resume_condition_unsatisfiable"


class RoleNotAllowedError(RefusedError):
    code = "role_not_allowed"


class RunNotValidatedError(RefusedError):
    code = "run_not_validated"


class SetupImpossibleError(RefusedError):
    code = "setup_impossible"


class SpendAlreadyRecordedError(RefusedError):
    code = "spend_already_recorded"


class StateMovedError(RefusedError):
    code = "state_moved"


class SuccessorInvalidError(RefusedError):
    code = "successor_invalid"


class TargetExistsError(RefusedError):
    code = "target_exists"


class TeamStateError(RefusedError):
    code = "team_state"


class TextInvalidError(RefusedError):
    code = "text_invalid"


class TodoBlockedError(RefusedError):
    code = "todo_blocked"


class TodoInvalidError(RefusedError):
    code = "todo_invalid"


class TodoNotOpenError(RefusedError):
    code = "todo_not_open"


class ToolDeniedError(RefusedError):
    code = "tool_denied"


class UndoImpossibleError(RefusedError):
    code = "undo_impossible"


class UserDecisionRequiredError(RefusedError):
    code = "user_decision_required"


class ValidationFailedError(RefusedError):
    code = "validation_failed"


class WorkspaceMismatchError(RefusedError):
    code = "workspace_mismatch"


class WriteScopeInvalidError(RefusedError):
    code = "write_scope_invalid"


# --- conflicts (4) -----------------------------------------------------------------------


class AlreadyClaimedError(ConflictError):
    code = "already_claimed"


class AlreadyDoneError(ConflictError):
    code = "already_done"


class ClaimMismatchError(ConflictError):
    code = "claim_mismatch"


class LeaseConflictError(ConflictError):
    code = "lease_conflict"


class LeaseScopeConflictError(ConflictError):
    code = "lease_scope_conflict"


class MergeConflictError(ConflictError):
    code = "merge_conflict"


class NameTakenError(ConflictError):
    code = "name_taken"


class OperationConflictError(ConflictError):
    code = "operation_conflict"


class UndoBlockedError(ConflictError):
    code = "undo_blocked"


class VersionConflictError(ConflictError):
    code = "version_conflict"


class WorkerRunningError(ConflictError):
    code = "worker_running"


class WorktreeInUseError(ConflictError):
    code = "worktree_in_use"


# --- busy (5) ----------------------------------------------------------------------------


class BusyTimeoutError(BusyError):
    code = "busy_timeout"


# --- storage (6) -------------------------------------------------------------------------


class BackupInvalidError(StorageError):
    code = "backup_invalid"


class CommitUnknownError(StorageError):
    code = "commit_unknown"
    retryable = True


class DatabaseCorruptError(StorageError):
    code = "database_corrupt"


class DatabaseUnreachableError(StorageError):
    code = "database_unreachable"
    retryable = True


class DiskFullError(StorageError):
    code = "disk_full"


class GraphInvalidError(StorageError):
    code = "graph_invalid"


class PathEscapeError(StorageError):
    code = "path_escape"


class ReadOnlyError(StorageError):
    code = "read_only"


class SchemaNewerError(StorageError):
    code = "schema_newer"


class SchemaOlderError(StorageError):
    code = "schema_older"


class SqliteTooOldError(StorageError):
    code = "sqlite_too_old"


class StorageFaultError(StorageError):
    code = "storage_fault"


# --- not found (7) -----------------------------------------------------------------------


class AgentNotRegisteredError(NotFoundError):
    code = "agent_not_registered"


class FileMissingError(NotFoundError):
    code = "file_missing"


class GoalNotFoundError(NotFoundError):
    code = "goal_not_found"


class LeaseNotFoundError(NotFoundError):
    code = "lease_not_found"


class MaterialNotFoundError(NotFoundError):
    code = "material_not_found"


class MessageNotFoundError(NotFoundError):
    code = "message_not_found"


class OperationNotFoundError(NotFoundError):
    code = "operation_not_found"


class PlanNotFoundError(NotFoundError):
    code = "plan_not_found"


class ProjectNotFoundError(NotFoundError):
    code = "project_not_found"


class RecipientNotFoundError(NotFoundError):
    code = "recipient_not_found"


class RunNotFoundError(NotFoundError):
    code = "run_not_found"


class SchemaNotFoundError(NotFoundError):
    code = "schema_not_found"


class TodoNotFoundError(NotFoundError):
    code = "todo_not_found"
