-- Mailboxes, plans and workers of teams.

-- One message for one mailbox, delivered again and again until its recipient acknowledges it (S4.6).
CREATE TABLE messages (
    message_id TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL UNIQUE CHECK (sequence > 0), -- of the event that sent it: never given twice
    goal_id TEXT NOT NULL,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (
        kind IN (
            'text', 'report', 'plan_submitted', 'plan_approved', 'plan_rejected', 'shutdown_request', 'shutdown_accepted'
        )
    ),
    body TEXT NOT NULL,
    request_id TEXT,
    todo_id TEXT REFERENCES todo_ids (todo_id),
    sent_at INTEGER NOT NULL,
    acked_at INTEGER,
    CHECK ((kind IN ('text', 'report')) = (request_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_unread ON messages (goal_id, recipient, sequence) WHERE acked_at IS NULL;
CREATE INDEX messages_to ON messages (goal_id, recipient, sequence);
CREATE INDEX messages_from ON messages (goal_id, sender, sequence);
CREATE INDEX messages_read ON messages (goal_id, recipient, acked_at) WHERE acked_at IS NOT NULL;

-- What an agent means to do, and whether it may; the newest of an agent is its gate (S4.3).
CREATE TABLE plans (
    plan_id TEXT PRIMARY KEY, -- also the request id of the messages about it
    sequence INTEGER NOT NULL UNIQUE CHECK (sequence > 0),
    goal_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'replaced')),
    submitted_at INTEGER NOT NULL,
    answered_at INTEGER,
    answered_by TEXT,
    note TEXT,
    CHECK ((status IN ('approved', 'rejected')) = (answered_at IS NOT NULL)),
    CHECK ((answered_at IS NULL) = (answered_by IS NULL)),
    CHECK (note IS NULL OR answered_at IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX plans_of ON plans (goal_id, agent_id, sequence);

-- The worker that an agent runs in, or ran in last. Whether it still lives is told by its lock alone.
CREATE TABLE workers (
    goal_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    worker_id TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('lead', 'subagent', 'teammate')),
    lead TEXT, -- the mailbox that its final texts go to
    runner TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    ended_by TEXT,
    tasks INTEGER NOT NULL DEFAULT 0 CHECK (tasks >= 0),
    completed INTEGER NOT NULL DEFAULT 0 CHECK (completed BETWEEN 0 AND tasks),
    idle_timeouts INTEGER NOT NULL DEFAULT 0 CHECK (idle_timeouts >= 0),
    PRIMARY KEY (goal_id, agent_id),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL))
) STRICT, WITHOUT ROWID;
