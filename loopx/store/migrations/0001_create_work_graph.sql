-- The work graph, its history and the registry cache. Times are microseconds since the epoch (UTC).

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The edge table was last edited at version `edited`; our checked write acknowledges it (S1.4).
CREATE TABLE graph_guard (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    edited INTEGER NOT NULL DEFAULT 0,
    checked INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO graph_guard (id) VALUES (1);

-- Todos with equal routing fields form a group; the counts are kept in the same transaction.
CREATE TABLE routes (
    route_id INTEGER PRIMARY KEY,
    goal_id TEXT NOT NULL,
    task_class TEXT NOT NULL CHECK (task_class IN
        ('advancement_task', 'user_gate', 'user_action', 'continuous_monitor', 'blocker')),
    identity TEXT NOT NULL UNIQUE,
    open_count INTEGER NOT NULL DEFAULT 0 CHECK (open_count >= 0),
    ready_count INTEGER NOT NULL DEFAULT 0 CHECK (ready_count BETWEEN 0 AND open_count),
    blocked_count INTEGER NOT NULL DEFAULT 0 CHECK (blocked_count >= 0),
    deferred_count INTEGER NOT NULL DEFAULT 0 CHECK (deferred_count >= 0)
) STRICT;
CREATE INDEX routes_of_goal ON routes (goal_id);

-- Every id that a todo ever had. What names a todo refers to this, so that it may name an archived one.
CREATE TABLE todo_ids (
    todo_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE todos (
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
    claim_token TEXT UNIQUE REFERENCES claim_tokens (token),
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

-- One index a question that the decision or a list asks; partial, so that a claim moves few of them.
CREATE INDEX todos_of_goal ON todos (goal_id, sequence);
-- For counting all of a goal alone. The condition always holds; only a query that repeats it may use the index, which
-- would otherwise be taken for the questions below and visit every open todo.
CREATE INDEX todos_counted ON todos (goal_id, status, closure, task_class, priority) WHERE sequence > 0;
CREATE INDEX todos_free ON todos (route_id, priority, sequence)
    WHERE status = 'open' AND unmet = 0 AND claimed_by IS NULL AND lease_id IS NULL;
CREATE INDEX todos_held ON todos (goal_id, route_id)
    WHERE status = 'open' AND unmet = 0 AND (claimed_by IS NOT NULL OR lease_id IS NOT NULL);
CREATE INDEX todos_soft ON todos (goal_id, route_id)
    WHERE status = 'open' AND unmet = 0 AND claimed_by IS NOT NULL AND lease_id IS NULL;
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
CREATE INDEX todos_claimed ON todos (claimed_by, sequence) WHERE claimed_by IS NOT NULL AND closure IS NULL;
CREATE INDEX todos_leased ON todos (lease_expires_at) WHERE lease_id IS NOT NULL;
CREATE INDEX todos_in_pool ON todos (goal_id, lease_pool) WHERE lease_pool IS NOT NULL;
CREATE INDEX todos_closed ON todos (goal_id, closed_at) WHERE closure IS NOT NULL;

-- Closed work that nothing open names, out of the way of every decision and list. Everything is in the record.
CREATE TABLE archived_todos (
    sequence INTEGER PRIMARY KEY,
    todo_id TEXT NOT NULL UNIQUE REFERENCES todo_ids (todo_id),
    goal_id TEXT NOT NULL,
    archived_at INTEGER NOT NULL,
    record TEXT NOT NULL CHECK (json_valid(record)),
    task_class TEXT AS (json_extract(record, '$.task_class')),
    role TEXT AS (json_extract(record, '$.role')),
    status TEXT AS (json_extract(record, '$.status')),
    closure TEXT NOT NULL AS (json_extract(record, '$.closure')),
    claimed_by TEXT AS (json_extract(record, '$.claimed_by')),
    text TEXT AS (json_extract(record, '$.text'))
) STRICT;
CREATE INDEX archived_of_goal ON archived_todos (goal_id, sequence);

-- An id never comes back for another todo.
CREATE TRIGGER todos_inserted BEFORE INSERT ON todos
    BEGIN
        SELECT RAISE(ABORT, 'the id belongs to an archived todo')
            WHERE EXISTS (SELECT 1 FROM archived_todos WHERE todo_id = NEW.todo_id);
        INSERT OR IGNORE INTO todo_ids VALUES (NEW.todo_id);
    END;

CREATE TABLE edges (
    todo_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    dependency_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    position INTEGER NOT NULL CHECK (position >= 0),
    PRIMARY KEY (todo_id, dependency_id),
    UNIQUE (todo_id, position),
    CHECK (todo_id <> dependency_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_to ON edges (dependency_id, todo_id);

CREATE TRIGGER edges_inserted AFTER INSERT ON edges
    BEGIN UPDATE graph_guard SET edited = edited + 1; END;
CREATE TRIGGER edges_updated AFTER UPDATE ON edges
    BEGIN UPDATE graph_guard SET edited = edited + 1; END;
CREATE TRIGGER edges_deleted AFTER DELETE ON edges
    BEGIN UPDATE graph_guard SET edited = edited + 1; END;
CREATE TRIGGER todos_deleted AFTER DELETE ON todos
    BEGIN UPDATE graph_guard SET edited = edited + 1; END;
CREATE TRIGGER todos_turned AFTER UPDATE OF todo_id, status, closure ON todos
    BEGIN UPDATE graph_guard SET edited = edited + 1; END;

-- Lineage: what came out of what (W10). A replacement follows a superseded todo.
CREATE TABLE lineage (
    todo_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    successor_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    position INTEGER NOT NULL CHECK (position >= 0),
    PRIMARY KEY (todo_id, successor_id),
    CHECK (todo_id <> successor_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_to ON lineage (successor_id, todo_id);

-- Every token ever issued, so that a generator that repeats one rolls the claim back (S2.4).
CREATE TABLE claim_tokens (
    token TEXT PRIMARY KEY,
    todo_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    lease_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    issued_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_tokens_of_todo ON claim_tokens (todo_id);

-- Who lost a lease on what by expiry, until they claim it again (W5.3).
CREATE TABLE lapses (
    todo_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    agent_id TEXT NOT NULL,
    lapsed_at INTEGER NOT NULL,
    PRIMARY KEY (todo_id, agent_id)
) STRICT, WITHOUT ROWID;

-- Outside facts that resume conditions read.
CREATE TABLE facts (
    fact TEXT PRIMARY KEY,
    evidence TEXT NOT NULL,
    recorded_by TEXT NOT NULL,
    recorded_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Acceptance criteria that were met, with the evidence.
CREATE TABLE criteria_met (
    goal_id TEXT NOT NULL,
    criterion_id TEXT NOT NULL,
    evidence TEXT NOT NULL,
    todo_id TEXT REFERENCES todo_ids (todo_id),
    met_by TEXT NOT NULL,
    met_at INTEGER NOT NULL,
    PRIMARY KEY (goal_id, criterion_id)
) STRICT, WITHOUT ROWID;

-- Which todo an item of an imported source became, and what the source said of it last.
CREATE TABLE origins (
    goal_id TEXT NOT NULL,
    source TEXT NOT NULL,
    source_id TEXT NOT NULL,
    todo_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    seen TEXT NOT NULL,
    PRIMARY KEY (goal_id, source, source_id)
) STRICT, WITHOUT ROWID;

-- Runs that agents wrote back, with the workspace's identity and never its path (W9.3).
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    goal_id TEXT NOT NULL,
    todo_id TEXT NOT NULL REFERENCES todo_ids (todo_id),
    agent_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('work', 'status')),
    evidence TEXT NOT NULL,
    validation TEXT,
    next_action TEXT,
    stop_condition TEXT,
    workspace_kind TEXT NOT NULL,
    task_repository TEXT,
    peer_independent_worktree_required INTEGER NOT NULL CHECK (peer_independent_worktree_required IN (0, 1)),
    recorded_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_of_goal ON runs (goal_id, recorded_at);

-- What was spent: once a validated work run.
CREATE TABLE spends (
    run_id TEXT PRIMARY KEY REFERENCES runs (run_id),
    goal_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    tokens INTEGER NOT NULL CHECK (tokens >= 0),
    cost REAL NOT NULL CHECK (cost >= 0),
    seconds REAL NOT NULL CHECK (seconds >= 0),
    spent_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spends_of_goal ON spends (goal_id, spent_at);

-- The history: a gapless chain in which each row holds the digest of the one before.
CREATE TABLE events (
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
    digest TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX events_of_todo ON events (todo_id, sequence) WHERE todo_id IS NOT NULL;
CREATE INDEX events_of_operation ON events (operation_id);

-- Answers of calls that named their operation, so that a retry gets the same one.
CREATE TABLE operations (
    operation_id TEXT PRIMARY KEY,
    intent TEXT NOT NULL,
    answer TEXT NOT NULL,
    sequence INTEGER NOT NULL REFERENCES events (sequence)
) STRICT, WITHOUT ROWID;

-- The parsed registry under the SHA-256 of the file, so that hot commands read no YAML.
CREATE TABLE registry_goals (
    sha256 TEXT NOT NULL,
    position INTEGER NOT NULL,
    goal_id TEXT NOT NULL,
    goal TEXT NOT NULL,
    PRIMARY KEY (sha256, position),
    UNIQUE (sha256, goal_id)
) STRICT, WITHOUT ROWID;
