"""For each error code: what causes it and what mends it.

Kept apart from the errors themselves because only the reference pages read it; a test holds
that it names exactly the codes of `loopx/core/errors.py`. A mend is a next step in words,
never a complete command that destroys something.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    cause: str
    mend: str


ERROR_CATALOG: dict[str, Row] = {
    # --- the call, or us -----------------------------------------------------------------
    "usage": Row(
        "The call itself is wrong: an unknown option or command, a value of the wrong form, options that contradict.",
        "Read the message, which names the nearest known spelling, and `--help` of the same command.",
    ),
    "internal": Row(
        "A bug in loopx: something failed that no rule foresaw. The traceback is on standard error.",
        "Nothing was half written. Report the traceback together with `loopx --version`.",
    ),
    # --- refused by a rule ---------------------------------------------------------------
    "action_not_delegated": Row(
        "An agent acts on work of a peer and the goal grants it no such action.",
        "Let the owner act, or let a person grant the action with `loopx authority grant`.",
    ),
    "actor_required": Row(
        "Claimed or leased work is touched and the call does not say who acts.",
        "Name the agent with `--agent-id`; a person uses `--as-user` with `--reason`.",
    ),
    "agent_bound": Row(
        "The todo is bound to another agent.",
        "Take other work, or change the binding with `loopx todo update`.",
    ),
    "agent_excluded": Row(
        "The todo excludes this agent, for example because it wrote what is to be reviewed.",
        "Leave it to another agent.",
    ),
    "already_initialised": Row(
        "There is a project state in this folder already.",
        "Use it; `loopx where` tells which one it is.",
    ),
    "authority_reason_required": Row(
        "The grant that allows this asks for a reason each time.",
        "Say why with `--authority-reason`.",
    ),
    "claim_token_required": Row(
        "The todo is under a live lease, and only the holder of its token may change it.",
        "Give the token of the lease with `--claim-token`.",
    ),
    "closure_incomplete": Row(
        "Something still stands open: a completion that names no successor, or a goal with work or criteria left.",
        "Name a successor or say `--no-follow-up`; for a goal, settle what the message lists.",
    ),
    "dependency_cycle": Row(
        "The dependency would make a todo wait for itself; the message shows the path.",
        "Leave that dependency out, or remove another one on the path.",
    ),
    "dependency_missing": Row(
        "A dependency names a todo that does not exist.",
        "Look the id up with `loopx todo list`.",
    ),
    "document_invalid": Row(
        "A document is no JSON, names no contract, or breaks the one that it names.",
        "Mend what the listed places say; `loopx schema show` prints the contract.",
    ),
    "evidence_required": Row(
        "Work of an agent is completed without saying what shows that it is done.",
        "Add `--evidence` with what was checked and where it can be seen.",
    ),
    "file_invalid": Row(
        "A file tool met a folder, a device, a file with several names, one that is no text, or one that is too large.",
        "Name a regular text file of the workspace within the limit of the message.",
    ),
    "extra_missing": Row(
        "The command needs packages that a plain installation leaves out.",
        "Install them as the hint says, such as `pip install 'loopx[web]'`.",
    ),
    "gate_open": Row(
        "A person must decide first: the todo needs a decision that an open or rejected gate holds.",
        "Ask the person to answer it; `loopx gate list` shows what is asked.",
    ),
    "goal_not_active": Row(
        "The goal is paused or closed, so no work on it starts.",
        "A person resumes or reopens the goal.",
    ),
    "identity_mismatch": Row(
        "The call speaks for one agent while the environment says that another one is calling.",
        "Let the two agree, or leave one of them out.",
    ),
    "import_invalid": Row(
        "A file to import is no text, is too large, or has lines that cannot be taken; nothing was written.",
        "Mend the lines that `details.rejected` lists, or leave them out with `--skip-invalid`.",
    ),
    "lease_expired": Row(
        "The token belongs to a lease that has run out, or was released or replaced.",
        "Claim the todo again; what was done meanwhile by others stays.",
    ),
    "material_unreadable": Row(
        "The material is missing, or it is there and cannot be read, so nobody can have read it.",
        "Mend the file, its permissions or the reference in `registry.yaml`.",
    ),
    "model_failed": Row(
        "The model's endpoint refused the request, or did not answer after every retry.",
        "Read the status in the message; check key, model name and address of the endpoint.",
    ),
    "model_not_configured": Row(
        "A chat worker has no model, or no key or address for its endpoint; nothing was asked or made.",
        "Give `--model`, and set the variables that the message names.",
    ),
    "monitor_not_due": Row(
        "A monitor is reported as unchanged before it is due.",
        "Poll again at `next_due_at`; a change may be reported at any time.",
    ),
    "not_claim_owner": Row(
        "The todo is claimed by another agent.",
        "Take other work, or ask the owner to release it.",
    ),
    "not_on_server": Row(
        "The command works on the files of a project, and this project is on a database server.",
        "Use the server's own tools, such as `pg_dump`; `loopx export` works on both.",
    ),
    "outside_goal_boundary": Row(
        "The todo's repository or a write scope of it lies outside the boundary that the user set for the goal.",
        "Narrow the todo, or ask the user to widen the boundary with `loopx goal update`.",
    ),
    "plan_not_approved": Row(
        "The newest plan of this agent waits for an answer or was rejected, so the agent may start nothing.",
        "Let its reviewer answer with `loopx plan approve`, or submit another plan.",
    ),
    "reason_required": Row(
        "The command changes direction or overrides somebody, and history must say why.",
        "Add `--reason`.",
    ),
    "registry_invalid": Row(
        "`registry.yaml` cannot be read or breaks its schema; line and column are in the message. Nothing was written.",
        "Mend that line by hand; the rest of the file is left as it is.",
    ),
    "resume_condition_invalid": Row(
        "A resume condition has no known form.",
        "Use `todo_done:ID`, `pr_merged:REF`, `capacity_available:POOL`, `at:TIME` or `in:DUR`.",
    ),
    "resume_condition_unsatisfiable": Row(
        "A resume condition could never hold, such as the completion of a monitor.",
        "Choose a condition that can come true.",
    ),
    "role_not_allowed": Row(
        "The class, claim or verb does not fit the role of the todo, such as an agent that claims a person's gate.",
        "Choose a class of that role, or let the other side act.",
    ),
    "run_not_validated": Row(
        "The run is not validated work, so no slot may be spent for it.",
        "Record a run of kind work with evidence and a validation.",
    ),
    "setup_impossible": Row(
        "A file of an agent's program cannot be edited so that its other bytes surely stay: it is no valid JSON or"
        " TOML, has broken marks, an entry of the same name, or leads outside the project.",
        "Mend or move the named file, then run setup again; or add the shown piece by hand.",
    ),
    "spend_already_recorded": Row(
        "A slot was spent for this run already.",
        "Nothing is left to do; `loopx quota status` has the sum.",
    ),
    "state_moved": Row(
        "The project was moved to a database server, and what lies in the folder is its past.",
        "Set `LOOPX_DATABASE_URL` to the address that the message names, with your own password.",
    ),
    "successor_invalid": Row(
        "A successor cannot follow: it does not exist, is closed, or is the todo itself.",
        "Name an open todo, or create one with `--next-agent-todo`.",
    ),
    "target_exists": Row(
        "There is a file of that name, and it is not written over.",
        "Name a file that does not exist, or say `--force` for a regular file.",
    ),
    "team_state": Row(
        "A worker was put together twice or in the wrong order: first its mailbox, then its claims, then the start.",
        "Configure each part once, before the worker starts.",
    ),
    "text_invalid": Row(
        "A text is empty, or holds NUL or a lone surrogate, which cannot be stored exactly.",
        "Take the character out, or give the text with `--text-file`.",
    ),
    "todo_blocked": Row(
        "The todo waits for others: a dependency is not met, or it was blocked with a reason.",
        "`loopx todo why` names what it waits for.",
    ),
    "todo_invalid": Row(
        "The fields of the todo contradict each other, such as a deferred one without a condition.",
        "Change the field that the message names.",
    ),
    "todo_not_open": Row(
        "The verb needs an open todo, and this one is deferred, blocked or closed.",
        "`loopx todo show` tells its state; `loopx todo reopen` where it may be opened again.",
    ),
    "tool_denied": Row(
        "The permission policy of a chat worker does not allow this call of a tool.",
        "Take another way, or let a person widen the policy.",
    ),
    "undo_impossible": Row(
        "What the operation did lives outside the graph: a registry edit, a token or a spend that was handed out.",
        "Use the command that the message names; it does the opposite.",
    ),
    "user_decision_required": Row(
        "Only a person may decide this.",
        "Ask the person; the question stands in `loopx inbox`.",
    ),
    "validation_failed": Row(
        "The todo's own check ended with a failure or ran out of time, so it was not completed.",
        "Mend what the check found and complete it again.",
    ),
    "workspace_mismatch": Row(
        "The work was recorded in another workspace than the one that is named.",
        "Use the recorded workspace.",
    ),
    "write_scope_invalid": Row(
        "A write scope is no glob inside a repository: absolute, with `..`, or malformed.",
        "Give a glob relative to the repository, such as `src/**`.",
    ),
    # --- conflicts -----------------------------------------------------------------------
    "already_claimed": Row(
        "Another agent holds the claim; the message names it.",
        "Take other work, or wait until it is released or stale.",
    ),
    "already_done": Row(
        "The todo is completed already.",
        "Nothing is left to do; `loopx todo show` has its evidence.",
    ),
    "claim_mismatch": Row(
        "The token or holder is not the one that the todo is held by.",
        "Use the token that the claim answered with.",
    ),
    "lease_conflict": Row(
        "A live lease or claim of another is on the same thing.",
        "Wait for its expiry, which the message gives, or take other work.",
    ),
    "lease_scope_conflict": Row(
        "A live lease covers paths that this write scope could match too.",
        "Choose a narrower scope, or wait for that lease.",
    ),
    "merge_conflict": Row(
        "Both sides of a merge changed a field, each to something else. The merge was written with the value that won.",
        "Look at the fields that the details name, in the written file, and settle them.",
    ),
    "name_taken": Row(
        "There is a goal, agent or other named thing of that name already.",
        "Use it, or choose another name.",
    ),
    "operation_conflict": Row(
        "The operation id was used before, for something else.",
        "Take a fresh operation id for a new intent; repeat the old call exactly for a retry.",
    ),
    "undo_blocked": Row(
        "Something later builds on what the operation did; the message names it.",
        "Undo what builds on it first, newest first, or change the todo itself.",
    ),
    "version_conflict": Row(
        "The thing has changed since the version that the call expects.",
        "Read it again and decide anew.",
    ),
    "worker_running": Row(
        "Another worker of the same agent runs on this machine for the goal.",
        "Give each worker an agent of its own, or end the other one with `loopx team shutdown`.",
    ),
    "worktree_in_use": Row(
        "The place or branch for the worker's git worktree is taken, or holds work that is nowhere else.",
        "Look at what is there and keep what matters; `git worktree list` tells whose it is.",
    ),
    # --- busy ----------------------------------------------------------------------------
    "busy_timeout": Row(
        "Another process held the lock until the deadline.",
        "Try again; nothing was written.",
    ),
    # --- storage -------------------------------------------------------------------------
    "backup_invalid": Row(
        "The file is no backup of this project, or its pages, references or history are damaged.",
        "Take another backup; a backup of another project needs `--force`.",
    ),
    "commit_unknown": Row(
        "The database server went away while it committed, and could not be asked what became of it.",
        "Repeat the call with the same `--operation-id`; `loopx log` shows what was done.",
    ),
    "database_corrupt": Row(
        "The database file is damaged or is no database. It was not touched.",
        "Keep the file, and put a backup in its place.",
    ),
    "database_unreachable": Row(
        "The database server does not answer, refuses the user, or was lost before anything was changed.",
        "Check `LOOPX_DATABASE_URL` and the server, then repeat the call.",
    ),
    "disk_full": Row(
        "The disk has no room; the old state is whole.",
        "Make room and try again.",
    ),
    "graph_invalid": Row(
        "The stored graph breaks its own rules, such as an edge to nowhere made by a foreign edit.",
        "Remove the named edge; removing an edge is always allowed.",
    ),
    "path_escape": Row(
        "The database path leads out of the project through a link, or is no regular file of its own.",
        "Put a regular file there, with one name.",
    ),
    "read_only": Row(
        "The state may be read here and not written, or a read needs a file that cannot be made.",
        "Change the permissions or the mount, or copy the state with `loopx backup`.",
    ),
    "schema_newer": Row(
        "A newer loopx has written this database; both versions are in the message.",
        "Install that version or a newer one.",
    ),
    "schema_older": Row(
        "The database is older than this program, and reading never migrates.",
        "Run any command that writes; it migrates in one transaction.",
    ),
    "sqlite_too_old": Row(
        "The SQLite library of this Python is older than 3.37.",
        "Use a Python that was built with a newer SQLite.",
    ),
    "storage_fault": Row(
        "The storage failed in a way that no other code names, or a file of the state is missing.",
        "Run `loopx doctor`; nothing was changed.",
    ),
    # --- not found -----------------------------------------------------------------------
    "agent_not_registered": Row(
        "No agent of that name is registered on the goal; a near match is named.",
        "Correct the spelling, or register it with `loopx agent register`.",
    ),
    "file_missing": Row(
        "A file tool names a file of the workspace that does not exist.",
        "Look for the path; it is relative to the workspace.",
    ),
    "goal_not_found": Row(
        "No goal of that name is in the registry, or several are and none was named.",
        "`loopx goal list` shows the names; choose with `--goal-id`.",
    ),
    "material_not_found": Row(
        "The goal declares no material of that id.",
        "`loopx material list` shows the ids.",
    ),
    "lease_not_found": Row(
        "No lease of that id is known.",
        "`loopx task-lease list` shows the live ones.",
    ),
    "message_not_found": Row(
        "No message of that id is in the mailbox of whoever asks.",
        "`loopx message inbox` shows the ids; another mailbox is acknowledged by its owner.",
    ),
    "operation_not_found": Row(
        "No event of the history belongs to an operation of that id.",
        "`loopx log` shows the operation id of each event.",
    ),
    "plan_not_found": Row(
        "There is no plan of that id, or the agent has submitted none.",
        "`loopx plan show --agent-id` shows the newest plan of an agent.",
    ),
    "project_not_found": Row(
        "Neither `--project`, `LOOPX_PROJECT` nor a folder above holds a `.loopx`.",
        "Go to the project, name it with `--project`, or start one with `loopx init`.",
    ),
    "recipient_not_found": Row(
        "The message is addressed to an agent that is not registered.",
        "Correct the name; `loopx agent list` shows who there is.",
    ),
    "run_not_found": Row(
        "No run of that id was recorded.",
        "Use the `run_id` that `loopx refresh-state` answered with.",
    ),
    "schema_not_found": Row(
        "No contract of that name is shipped with this version.",
        "`loopx schema list` shows the names.",
    ),
    "todo_not_found": Row(
        "No todo has that id, or an id that starts so.",
        "Look it up with `loopx todo list`.",
    ),
}
