-- The same facts with fewer pages written by every claim: an index page is written to the log and the disk each time.
-- Two tables are made anew, since SQLite drops no constraint of a table that is there.

-- The history. The chain itself finds a digest that comes twice; an index on it served nothing else.
CREATE TABLE lighter_events (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('user', 'agent', 'system')),
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    goal_id TEXT,
    todo_id TEXT,
    changes TEXT NOT NULL,
    reason TEXT,
    receipt TEXT NOT NULL,
    operation_id TEXT NOT NULL,
    payload_version INTEGER NOT NULL,
    previous_digest TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT;
INSERT INTO lighter_events SELECT * FROM events;
DROP TABLE events;
ALTER TABLE lighter_events RENAME TO events;
CREATE INDEX events_of_todo ON events (todo_id, sequence) WHERE todo_id IS NOT NULL;
-- The id of an operation ends with the number of its event; one that a caller chose is in operations.
CREATE INDEX events_of_operation ON events (operation_id) WHERE payload_version = 1;

-- The work graph. That a claim token is one todo's alone follows from its row in claim_tokens, see the triggers below.
CREATE TABLE lighter_todos (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    todo_id TEXT NOT NULL UNIQUE,
    goal_id TEXT NOT NULL,
    route_id INTEGER NOT NULL REFERENCES routes (route_id),
    task_class TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('agent', 'user')),
    status TEXT NOT NULL CHECK (status IN ('open', 'done', 'blocked', 'deferred')),
    closure TEXT CHECK (closure IN ('completed', 'completed_no_followup', 'failed', 'superseded')),
    priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 4),
    text TEXT NOT NULL CHECK (length(text) > 0),
    action_kind TEXT,
    target_capability TEXT,
    continuation_policy TEXT NOT NULL CHECK (continuation_policy IN
        ('independent_handoff', 'same_agent_non_delivery')),

    claimed_by TEXT,
    claimed_at INTEGER,
    claim_expires_at INTEGER,

    lease_id TEXT,
    lease_holder TEXT,
    lease_acquired_at INTEGER,
    lease_expires_at INTEGER,
    claim_token TEXT REFERENCES claim_tokens (token),
    lease_version INTEGER NOT NULL DEFAULT 0,
    lease_repository TEXT,
    lease_write_scopes TEXT,
    lease_pool TEXT,

    unmet INTEGER NOT NULL DEFAULT 0 CHECK (unmet >= 0),
    broken INTEGER NOT NULL DEFAULT 0 CHECK (broken BETWEEN 0 AND unmet),
    block_reason TEXT,
    resume_kind TEXT CHECK (resume_kind IN ('todo_done', 'pr_merged', 'capacity_available', 'at')),
    resume_ref TEXT,
    resume_at INTEGER,
    resume_met INTEGER NOT NULL DEFAULT 0 CHECK (resume_met IN (-1, 0, 1)), -- 1 holds, -1 never can

    decision_scope TEXT,
    blocks_agent TEXT,
    global_gate INTEGER NOT NULL DEFAULT 0 CHECK (global_gate IN (0, 1)),
    unblocks_todo_id TEXT REFERENCES todo_ids (todo_id),
    verdict TEXT CHECK (verdict IN ('approve', 'reject')),
    decided_at INTEGER,
    decided_by TEXT,
    decision_note TEXT,
    standing INTEGER NOT NULL DEFAULT 0 CHECK (standing IN (0, 1)),
    revoked_at INTEGER,

    next_due_at INTEGER,
    poll_every INTEGER CHECK (poll_every > 0),
    consecutive_no_change INTEGER NOT NULL DEFAULT 0 CHECK (consecutive_no_change >= 0),
    monitor_expires_at INTEGER,

    acceptance TEXT NOT NULL DEFAULT '[]',
    validation_argv TEXT,
    validation_timeout INTEGER,
    evidence TEXT,
    completion_rationale TEXT,
    no_followup INTEGER NOT NULL DEFAULT 0 CHECK (no_followup IN (0, 1)),
    followed INTEGER NOT NULL DEFAULT 0 CHECK (followed IN (0, 1)),
    superseded_by TEXT REFERENCES todo_ids (todo_id),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    last_holder TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    closed_at INTEGER,
    version INTEGER NOT NULL DEFAULT 1,

    -- The class belongs to the role.
    CHECK ((role = 'user') = (task_class IN ('user_gate', 'user_action'))),
    -- The closure belongs to the status; `IS` because a CHECK passes on NULL (S1.3).
    CHECK ((status = 'done') IS (coalesce(closure, '') IN ('completed', 'completed_no_followup', 'failed'))),
    CHECK (closure IS NOT 'superseded' OR status = 'deferred'),
    CHECK ((closure IS NULL) = (closed_at IS NULL)),
    CHECK (status <> 'deferred' OR closure IS 'superseded' OR resume_kind IS NOT NULL),
    CHECK ((resume_kind IS NULL) = (resume_ref IS NULL)),
    CHECK ((resume_kind IS 'at') = (resume_at IS NOT NULL)),
    -- A claim is whole or absent.
    CHECK ((claimed_by IS NULL) = (claimed_at IS NULL) AND (claimed_by IS NULL) = (claim_expires_at IS NULL)),
    -- A lease is whole or absent, and only open work is under one.
    CHECK ((lease_id IS NULL) = (lease_holder IS NULL) AND (lease_id IS NULL) = (claim_token IS NULL)
        AND (lease_id IS NULL) = (lease_expires_at IS NULL) AND (lease_id IS NULL) = (lease_acquired_at IS NULL)
        AND (lease_id IS NULL) = (lease_write_scopes IS NULL)),
    CHECK (lease_id IS NOT NULL OR (lease_repository IS NULL AND lease_pool IS NULL)),
    CHECK (lease_id IS NULL OR (status = 'open' AND lease_expires_at > lease_acquired_at)),
    -- A decision is whole or absent, and only gates are decided.
    CHECK ((verdict IS NULL) = (decided_at IS NULL) AND (verdict IS NULL) = (decided_by IS NULL)),
    CHECK (verdict IS NULL OR (task_class = 'user_gate' AND status = 'done')),
    CHECK ((task_class = 'continuous_monitor') = (next_due_at IS NOT NULL)),
    CHECK ((validation_argv IS NULL) = (validation_timeout IS NULL))
) STRICT;
INSERT INTO lighter_todos SELECT * FROM todos ORDER BY sequence;
DELETE FROM sqlite_sequence WHERE name = 'lighter_todos';
INSERT INTO sqlite_sequence SELECT 'lighter_todos', seq FROM sqlite_sequence WHERE name = 'todos';
DROP TABLE todos;
ALTER TABLE lighter_todos RENAME TO todos;

-- One index a question that the decision or a list asks; partial, so that a claim moves two of them: what was free is
-- leased.
CREATE INDEX todos_of_goal ON todos (goal_id, sequence);
CREATE INDEX todos_free ON todos (route_id, priority, sequence)
    WHERE status = 'open' AND unmet = 0 AND claimed_by IS NULL AND lease_id IS NULL;
CREATE INDEX todos_waiting ON todos (route_id, priority, sequence) WHERE status = 'open' AND unmet > 0;
CREATE INDEX todos_broken ON todos (goal_id, sequence) WHERE broken > 0 AND closure IS NULL;
CREATE INDEX todos_blocked ON todos (route_id, priority, sequence) WHERE status = 'blocked';
CREATE INDEX todos_sleeping ON todos (route_id, priority, sequence) WHERE status = 'deferred' AND closure IS NULL;
CREATE INDEX todos_resuming ON todos (resume_kind, resume_ref) WHERE closure IS NULL AND resume_kind IS NOT NULL;
CREATE INDEX todos_timed ON todos (goal_id, resume_at) WHERE closure IS NULL AND resume_at IS NOT NULL;
CREATE INDEX todos_stirred ON todos (goal_id, resume_met) WHERE closure IS NULL AND resume_met <> 0;
CREATE INDEX todos_due ON todos (goal_id, next_due_at) WHERE task_class = 'continuous_monitor' AND status = 'open';
CREATE INDEX todos_for_user ON todos (goal_id, priority, sequence) WHERE role = 'user' AND closure IS NULL;
CREATE INDEX todos_gates ON todos (goal_id, decision_scope, decided_at) WHERE task_class = 'user_gate';
CREATE INDEX todos_unblocked_by ON todos (unblocks_todo_id) WHERE unblocks_todo_id IS NOT NULL;
CREATE INDEX todos_gaps ON todos (goal_id, sequence)
    WHERE status = 'done' AND role = 'agent' AND followed = 0 AND no_followup = 0;
CREATE INDEX todos_in_pool ON todos (goal_id, lease_pool) WHERE lease_pool IS NOT NULL;
-- Claimed and not leased, and leased: together all that is held. Both are few.
CREATE INDEX todos_soft ON todos (goal_id, status, unmet, claimed_by)
    WHERE claimed_by IS NOT NULL AND lease_id IS NULL AND closure IS NULL;
CREATE INDEX todos_leased ON todos (lease_expires_at, goal_id) WHERE lease_id IS NOT NULL;
-- With what is counted of closed work: nothing of it is read from the table.
CREATE INDEX todos_closed ON todos (goal_id, closed_at, closure, task_class, priority) WHERE closure IS NOT NULL;

-- An id never comes back for another todo.
CREATE TRIGGER todos_inserted BEFORE INSERT ON todos
    BEGIN
        SELECT RAISE(ABORT, 'the id belongs to an archived todo')
            WHERE EXISTS (SELECT 1 FROM archived_todos WHERE todo_id = NEW.todo_id);
        INSERT OR IGNORE INTO todo_ids VALUES (NEW.todo_id);
    END;
CREATE TRIGGER todos_deleted AFTER DELETE ON todos
    BEGIN UPDATE graph_guard SET edited = edited + 1; END;
CREATE TRIGGER todos_turned AFTER UPDATE OF todo_id, status, closure ON todos
    BEGIN UPDATE graph_guard SET edited = edited + 1; END;

-- A todo is under a token only if that was issued for it. As a token is issued once, no two todos have the same.
CREATE TRIGGER todos_inserted_with_token AFTER INSERT ON todos WHEN NEW.claim_token IS NOT NULL
    BEGIN
        SELECT RAISE(ABORT, 'the claim token was not issued for this todo') WHERE NOT EXISTS
            (SELECT 1 FROM claim_tokens WHERE token = NEW.claim_token AND todo_id = NEW.todo_id);
    END;
CREATE TRIGGER todos_token_given AFTER UPDATE OF claim_token, todo_id ON todos WHEN NEW.claim_token IS NOT NULL
    BEGIN
        SELECT RAISE(ABORT, 'the claim token was not issued for this todo') WHERE NOT EXISTS
            (SELECT 1 FROM claim_tokens WHERE token = NEW.claim_token AND todo_id = NEW.todo_id);
    END;

-- A lease names its todo in its id; before, that was `lease_` and ten letters of chance.
DROP INDEX claim_tokens_of_todo;
CREATE INDEX claim_tokens_of_lease ON claim_tokens (lease_id) WHERE length(lease_id) = 16;

-- What was delivered on a todo before.
CREATE INDEX runs_of_todo ON runs (todo_id, recorded_at);
