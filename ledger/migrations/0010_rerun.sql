-- Doing again: ranges of slots that a person wants run, and rows that are run once more; and lists of an agent's tasks.

-- The slots were fixed when it was asked for, so that what was shown is what runs, whatever becomes of the rule. One row
-- of its lane is open at a time, and the start of it opens the next.
CREATE TABLE ledger.backfill (
    tenant        text COLLATE "C" NOT NULL,
    task          text COLLATE "C" NOT NULL,
    request       text COLLATE "C" NOT NULL,
    since         timestamptz NOT NULL,
    until         timestamptz NOT NULL,
    slots         timestamptz[] NOT NULL,
    opened        integer NOT NULL,
    ran           integer NOT NULL CHECK (ran >= 0),
    coming        integer NOT NULL CHECK (coming >= 0),
    at_once       integer NOT NULL CHECK (at_once > 0),
    at            timestamptz NOT NULL,
    by            text COLLATE "C" NOT NULL,
    cancelled     timestamptz,
    cancelled_by  text COLLATE "C",
    CONSTRAINT backfill_pkey PRIMARY KEY (tenant, task, request),
    CONSTRAINT backfill_range CHECK (since < until),
    CONSTRAINT backfill_opened CHECK (opened BETWEEN 0 AND cardinality(slots))
);
COMMENT ON COLUMN ledger.backfill.opened IS 'So many of the slots have been opened, from the first on (I15).';

-- All of its rows are open from the beginning, each in a lane of its own; `at_once` of them run at a time.
CREATE TABLE ledger.rerun (
    tenant        text COLLATE "C" NOT NULL,
    request       text COLLATE "C" NOT NULL,
    at_once       integer NOT NULL CHECK (at_once > 0),
    wanted        jsonb NOT NULL,
    at            timestamptz NOT NULL,
    by            text COLLATE "C" NOT NULL,
    cancelled     timestamptz,
    cancelled_by  text COLLATE "C",
    CONSTRAINT rerun_pkey PRIMARY KEY (tenant, request)
);
COMMENT ON COLUMN ledger.rerun.wanted IS 'What it was asked to find, as it was asked.';
CREATE TABLE ledger.rerun_row (
    tenant   text COLLATE "C" NOT NULL,
    task     text COLLATE "C" NOT NULL,
    lane     text COLLATE "C" NOT NULL,
    due      timestamptz NOT NULL,
    request  text COLLATE "C" NOT NULL,
    repeats  uuid NOT NULL,
    CONSTRAINT rerun_row_pkey PRIMARY KEY (tenant, task, lane)
);
COMMENT ON TABLE ledger.rerun_row IS
    'Which rerun a row belongs to, by what an edit leaves as it is; `repeats`: the row that it runs once more.';
CREATE INDEX rerun_row_request ON ledger.rerun_row (tenant, request, due, task);

DO $$
DECLARE
    tab text;
BEGIN
    FOREACH tab IN ARRAY ARRAY['backfill', 'rerun', 'rerun_row'] LOOP
        EXECUTE format('ALTER TABLE ledger.%I ENABLE ROW LEVEL SECURITY', tab);
        EXECUTE format('CREATE POLICY own ON ledger.%I TO ledger_tenant
                        USING (tenant = (SELECT ledger.current_tenant()))
                        WITH CHECK (tenant = (SELECT ledger.current_tenant()))', tab);
        EXECUTE format('CREATE POLICY read_all ON ledger.%I FOR SELECT
                        TO ledger_dispatcher, ledger_sweeper, ledger_reader USING (true)', tab);
        EXECUTE format('GRANT SELECT ON ledger.%I TO ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader', tab);
    END LOOP;
END $$;
GRANT INSERT, UPDATE ON ledger.backfill, ledger.rerun TO ledger_tenant;
GRANT INSERT, UPDATE ON ledger.rerun_row TO ledger_tenant;
-- Whoever starts a row of a backfill opens the next, and says so.
GRANT UPDATE (opened) ON ledger.backfill TO ledger_dispatcher;
CREATE POLICY go_on ON ledger.backfill FOR UPDATE TO ledger_dispatcher USING (true) WITH CHECK (true);
-- Whoever starts a row of a rerun holds it, so that no two claims count the same runs.
GRANT UPDATE (at_once) ON ledger.rerun TO ledger_dispatcher;
CREATE POLICY lock_only ON ledger.rerun FOR UPDATE TO ledger_dispatcher USING (true) WITH CHECK (false);

-- An agent's tasks by name, a page at a time.
DROP INDEX ledger.task_agent;
CREATE INDEX task_agent ON ledger.task (tenant, agent, task);
