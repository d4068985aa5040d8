-- The book, whole. Every identifier is text COLLATE "C": one collation everywhere, or joins between
-- tables stop using their indexes. Digests and fingerprints are 32 bytes; hex only at the doors.

CREATE TABLE ledger.settings (
    single          boolean PRIMARY KEY DEFAULT true CHECK (single),
    schema_version  integer NOT NULL,
    key_version     smallint NOT NULL,
    digest_version  smallint NOT NULL,
    dialect         smallint NOT NULL,
    tzdata          text COLLATE "C" NOT NULL
);
COMMENT ON TABLE ledger.settings IS
    'What is in force. A process with another schema, key, digest, dialect or zone release starts and projects nothing (I20).';

CREATE TABLE ledger.tenant_limit (
    tenant     text COLLATE "C" PRIMARY KEY,
    suspended  boolean NOT NULL DEFAULT false,
    cap        integer CHECK (cap > 0),
    quota      integer CHECK (quota >= 0),
    note       text NOT NULL DEFAULT ''
);

CREATE TABLE ledger.usage (
    tenant  text COLLATE "C" NOT NULL,
    month   date NOT NULL,
    starts  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, month)
);

CREATE TABLE ledger.task (
    tenant          text COLLATE "C" NOT NULL,
    task            text COLLATE "C" NOT NULL,
    digest          bytea NOT NULL CHECK (octet_length(digest) = 32),
    agent           text COLLATE "C" NOT NULL,
    enabled         boolean NOT NULL,
    duplicate_hash  bytea CHECK (octet_length(duplicate_hash) = 32),
    PRIMARY KEY (tenant, task)
);
COMMENT ON TABLE ledger.task IS
    'What a person asked for: a pointer to the authored text and one switch. A column that derives from a run is a bug (I5).';
COMMENT ON COLUMN ledger.task.duplicate_hash IS
    'Null where a second task for the same work was asked for; else no two enabled tasks of a tenant share it.';
CREATE UNIQUE INDEX task_twin ON ledger.task (tenant, duplicate_hash) WHERE enabled;
CREATE INDEX task_agent ON ledger.task (tenant, agent);

CREATE TABLE ledger.definition (
    tenant     text COLLATE "C" NOT NULL,
    digest     bytea NOT NULL CHECK (octet_length(digest) = 32),
    version    smallint NOT NULL,
    canonical  text COLLATE "C" NOT NULL,
    at         timestamptz NOT NULL,
    by         text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, digest)
);
COMMENT ON TABLE ledger.definition IS 'Authored text by its digest, written once; an edit is a pointer moving.';

CREATE TABLE ledger.act (
    tenant        text COLLATE "C" NOT NULL,
    task          text COLLATE "C" NOT NULL,
    n             integer NOT NULL CHECK (n > 0),
    at            timestamptz NOT NULL,
    by            text COLLATE "C" NOT NULL,
    what          text COLLATE "C" NOT NULL CHECK (what IN ('define', 'edit', 'enable', 'disable', 'delete')),
    digest        bytea NOT NULL CHECK (octet_length(digest) = 32),
    enabled       boolean NOT NULL,
    resume_after  timestamptz CHECK ((resume_after IS NOT NULL) = enabled),
    note          text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, task, n)
);
COMMENT ON TABLE ledger.act IS 'Append-only: who asked for what, when. The series continues after resume_after (I10).';

CREATE TABLE ledger.hint (
    tenant       text COLLATE "C" NOT NULL,
    task         text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL CHECK (kind IN ('interval', 'oneshot')),
    at           timestamptz,
    every        interval,
    given        timestamptz NOT NULL,
    expires      timestamptz NOT NULL,
    by           text COLLATE "C" NOT NULL,
    note         text NOT NULL DEFAULT '',
    consumed_by  uuid,
    PRIMARY KEY (tenant, task, kind),
    CHECK ((at IS NOT NULL) = (kind = 'oneshot') AND (every IS NOT NULL) = (kind = 'interval'))
);

CREATE TABLE ledger.occurrence (
    key          uuid NOT NULL,
    tenant       text COLLATE "C" NOT NULL,
    task         text COLLATE "C" NOT NULL,
    digest       bytea NOT NULL,
    delivery     text COLLATE "C" NOT NULL,
    wake         text COLLATE "C" NOT NULL,
    agent        text COLLATE "C" NOT NULL,
    destination  text COLLATE "C" NOT NULL,
    due          timestamptz NOT NULL,
    fingerprint  bytea NOT NULL,
    key_version  smallint NOT NULL,
    lane         text COLLATE "C" NOT NULL,
    state        text COLLATE "C" NOT NULL,
    reason       text COLLATE "C",
    exclusive    boolean NOT NULL,
    run_at       timestamptz NOT NULL,
    blocked_by   uuid,
    retry_at     timestamptz,
    after        timestamptz,
    base         timestamptz,
    predecessor  uuid,
    source       text COLLATE "C",
    trail        jsonb,
    passed       jsonb,
    failures     integer NOT NULL DEFAULT 0,
    made_by      text COLLATE "C" NOT NULL,
    closed_by    text COLLATE "C",
    incarnation  integer,
    created      timestamptz NOT NULL,
    started      timestamptz,
    handed       timestamptz,
    deadline     timestamptz,
    closed       timestamptz,
    outcome      text COLLATE "C",
    crumb        text,
    result       text,
    error        text,
    held_ms      integer,
    history      jsonb,
    CONSTRAINT occurrence_pkey PRIMARY KEY (key, tenant),
    CONSTRAINT occurrence_digests CHECK (octet_length(digest) = 32 AND octet_length(fingerprint) = 32),
    -- A row runs exactly while it has `started` and no `closed`; statements on the hot path rely on it.
    CONSTRAINT occurrence_state CHECK (CASE state
        WHEN 'pending' THEN started IS NULL AND closed IS NULL
        WHEN 'retired' THEN started IS NULL AND closed IS NULL
        WHEN 'ended'   THEN started IS NULL AND closed IS NULL
        WHEN 'running' THEN started IS NOT NULL AND closed IS NULL AND deadline IS NOT NULL
        WHEN 'skipped' THEN started IS NULL AND closed IS NOT NULL
        WHEN 'cancelled' THEN closed IS NOT NULL
        WHEN 'succeeded' THEN started IS NOT NULL AND closed IS NOT NULL
        WHEN 'failed'    THEN started IS NOT NULL AND closed IS NOT NULL
        WHEN 'timed_out' THEN started IS NOT NULL AND closed IS NOT NULL
        WHEN 'lost'      THEN started IS NOT NULL AND closed IS NOT NULL
        ELSE false END),
    -- Not starting something due is recorded with its reason (I18).
    CONSTRAINT occurrence_reason CHECK (state NOT IN ('skipped', 'retired') OR reason IS NOT NULL)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0.05);
COMMENT ON TABLE ledger.occurrence IS
    'One row per firing, under the key of the facts stored beside it (I1). No foreign key to the task: history outlives it.';
COMMENT ON COLUMN ledger.occurrence.after IS 'The row covers (after, due] of its series (I10).';
COMMENT ON COLUMN ledger.occurrence.trail IS 'Null where the plain baseline won: after, base and the definition replay it.';
COMMENT ON COLUMN ledger.occurrence.blocked_by IS
    'Pending: the run it waits for, or its own key where it failed alone and is set aside until retry_at (I12); not null
     keeps it out of the due indexes. Skipped: the run that was in its way (I18).';
COMMENT ON COLUMN ledger.occurrence.closed_by IS 'Who closed it, where that was not the incarnation that ran it.';

-- I3, I4: never two open rows of one lane.
CREATE UNIQUE INDEX one_open ON ledger.occurrence (tenant, task, lane) WHERE state = 'pending';
-- I8: one disposition per slot, across edits and key versions; and, read backwards, the frontier of a series.
CREATE UNIQUE INDEX one_slot ON ledger.occurrence (tenant, task, lane, due)
    WHERE state NOT IN ('pending', 'retired', 'ended');
-- I8: one running row per task unless its policy allows more; guard, blocker look-up and list of what runs in one.
-- The only index with this predicate: a second one leads the planner to walk it once for each row of a batch.
CREATE UNIQUE INDEX one_running ON ledger.occurrence (tenant, task, (CASE WHEN NOT exclusive THEN key END))
    NULLS NOT DISTINCT WHERE state = 'running';
CREATE INDEX due_now ON ledger.occurrence (run_at)
    WHERE state = 'pending' AND blocked_by IS NULL AND delivery <> 'pull';
CREATE INDEX due_tenant ON ledger.occurrence (tenant, run_at) WHERE state = 'pending' AND blocked_by IS NULL;
-- The rest is empty for ordinary rows.
CREATE INDEX waiting ON ledger.occurrence (tenant, task) WHERE state = 'pending' AND blocked_by IS NOT NULL;
CREATE UNIQUE INDEX one_request ON ledger.occurrence (tenant, task, wake) WHERE wake LIKE 'manual:%';
CREATE INDEX ended ON ledger.occurrence (tenant, task, digest) WHERE state = 'ended';

CREATE TABLE ledger.archive (
    LIKE ledger.occurrence INCLUDING DEFAULTS,
    CONSTRAINT archive_pkey PRIMARY KEY (key, tenant, due)
) PARTITION BY RANGE (due);
CREATE INDEX archive_task ON ledger.archive (tenant, task, due);
CREATE TABLE ledger.archive_rest PARTITION OF ledger.archive DEFAULT;

CREATE TABLE ledger.evidence (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant  text COLLATE "C" NOT NULL,
    key     uuid NOT NULL,
    at      timestamptz NOT NULL,
    by      text COLLATE "C" NOT NULL,
    what    text COLLATE "C" NOT NULL,
    detail  text NOT NULL
);
COMMENT ON TABLE ledger.evidence IS 'What came too late to count: late finishes, second starts, collisions (I7).';
CREATE INDEX evidence_key ON ledger.evidence (tenant, key);

CREATE TABLE ledger.claimed_once (
    tenant  text COLLATE "C" NOT NULL,
    key     uuid NOT NULL,
    name    text COLLATE "C" NOT NULL,
    at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, key, name)
);

CREATE TABLE ledger.gone_agent (
    tenant  text COLLATE "C" NOT NULL,
    agent   text COLLATE "C" NOT NULL,
    at      timestamptz NOT NULL,
    key     uuid,
    PRIMARY KEY (tenant, agent)
);

CREATE TABLE ledger.incarnation (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slot          text COLLATE "C" NOT NULL,
    host          text COLLATE "C" NOT NULL,
    registered    timestamptz NOT NULL,
    server_start  timestamptz NOT NULL,
    held          boolean NOT NULL DEFAULT false,
    absent_since  timestamptz,
    ended         timestamptz
);
COMMENT ON TABLE ledger.incarnation IS
    'One life of a process that starts runs. It is present while its session holds the advisory lock of its id.';
COMMENT ON COLUMN ledger.incarnation.held IS
    'Whether it ever held its lock. One that could not, behind a transaction pooler, is never found absent.';
CREATE INDEX incarnation_alive ON ledger.incarnation (id) WHERE ended IS NULL;

CREATE TABLE ledger.dispatcher (
    incarnation  integer PRIMARY KEY,
    state        text COLLATE "C" NOT NULL CHECK (state IN ('starting', 'active', 'draining', 'blocked', 'stopped')),
    why          text NOT NULL DEFAULT '',
    tick         timestamptz NOT NULL,
    looked_at    bigint NOT NULL DEFAULT 0,
    started      bigint NOT NULL DEFAULT 0,
    finished     bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE ledger.dispatcher IS 'The heartbeat of a dispatcher: evidence for people, no decision reads it (I14).';

CREATE TABLE ledger.pass (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    began      timestamptz NOT NULL,
    closed     timestamptz,
    by         text COLLATE "C" NOT NULL,
    period_s   integer NOT NULL CHECK (period_s > 0),
    expected   integer,
    healthy    integer,
    repaired   integer,
    failed     integer,
    rows_made  integer,
    report     jsonb,
    -- I13: a pass that closes accounts for every tenant it expected.
    CONSTRAINT pass_adds_up CHECK (closed IS NULL OR expected = healthy + repaired + failed)
);

CREATE TABLE ledger.verdict (
    tenant      text COLLATE "C" PRIMARY KEY,
    pass        bigint NOT NULL,
    at          timestamptz NOT NULL,
    since       timestamptz NOT NULL,
    word        text COLLATE "C" NOT NULL CHECK (word IN ('healthy', 'repaired', 'failed')),
    cause       text,
    checked     integer NOT NULL,
    open        integer NOT NULL,
    ended       integer NOT NULL,
    repairs     jsonb NOT NULL,
    drill       text COLLATE "C" NOT NULL CHECK (drill IN ('passed', 'failed', 'could not try')),
    drill_ms    double precision,
    drill_task  text COLLATE "C",
    untried     integer NOT NULL DEFAULT 0
);
CREATE TABLE ledger.verdict_log (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant  text COLLATE "C" NOT NULL,
    pass    bigint NOT NULL,
    at      timestamptz NOT NULL,
    word    text COLLATE "C" NOT NULL,
    cause   text,
    repairs jsonb NOT NULL,
    drill   text COLLATE "C" NOT NULL
);
CREATE INDEX verdict_log_tenant ON ledger.verdict_log (tenant, at);
