-- Which revision of a material an agent has read, and handoffs.

-- A handoff is an event of its own; it starts nothing (W11.1, W11.6).
CREATE TABLE handoffs (
    handoff_id TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL UNIQUE CHECK (sequence > 0), -- of the event that records it
    goal_id TEXT NOT NULL,
    from_agent TEXT, -- NULL: a person handed over
    to_agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    receiver_runs INTEGER NOT NULL CHECK (receiver_runs >= 0), -- work runs of the receiver before it
    digest TEXT NOT NULL,
    fields TEXT NOT NULL -- name=digest of each part of the projection
) STRICT, WITHOUT ROWID;
CREATE INDEX handoffs_of_goal ON handoffs (goal_id, sequence);
CREATE INDEX handoffs_to ON handoffs (goal_id, to_agent, sequence);

-- The revision that an agent has read last (W11.5); never a body.
CREATE TABLE material_reads (
    goal_id TEXT NOT NULL,
    material_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    revision TEXT NOT NULL,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (goal_id, material_id, agent_id)
) STRICT, WITHOUT ROWID;

-- The present revision of what is not read here, as somebody stated it.
CREATE TABLE material_revisions (
    goal_id TEXT NOT NULL,
    material_id TEXT NOT NULL,
    revision TEXT NOT NULL,
    stated_by TEXT NOT NULL,
    stated_at INTEGER NOT NULL,
    PRIMARY KEY (goal_id, material_id)
) STRICT, WITHOUT ROWID;

-- What a handoff asks of runs: how often an agent has worked, and what was last said about going on.
CREATE INDEX runs_of_agent ON runs (goal_id, agent_id, kind);
CREATE INDEX runs_validated ON runs (goal_id, recorded_at) WHERE kind = 'work' AND validation IS NOT NULL;
CREATE INDEX runs_directing ON runs (goal_id, recorded_at) WHERE next_action IS NOT NULL;
CREATE INDEX runs_stopping ON runs (goal_id, recorded_at) WHERE stop_condition IS NOT NULL;
