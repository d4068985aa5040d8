-- Being told: the closings that somebody may want to hear of, each written by the very statement or transaction that
-- closes, and read in the order of `n`. Whoever closes gives no number: numbers of transactions that commit late would
-- come behind a reader's back. They are given afterwards, by one at a time, to what has committed.
CREATE TABLE ledger.event (
    key       uuid NOT NULL,
    tenant    text COLLATE "C" NOT NULL,
    task      text COLLATE "C" NOT NULL,
    kind      text COLLATE "C" NOT NULL CHECK (kind IN ('failed', 'timed_out', 'lost', 'skipped', 'recovered')),
    at        timestamptz NOT NULL,
    wake      text COLLATE "C" NOT NULL,
    due       timestamptz NOT NULL,
    reason    text COLLATE "C",
    error     text,
    blocker   uuid,
    failures  integer NOT NULL,
    retry     boolean NOT NULL,
    n         bigint CHECK (n > 0),
    CONSTRAINT event_pkey PRIMARY KEY (key, tenant)
);
COMMENT ON TABLE ledger.event IS 'The outbox: a closing that is told. It stands or falls with the closing, and a key closes once (I6, I7).';
COMMENT ON COLUMN ledger.event.n IS 'Its place in the order of being told; null until it is given one. Who reads up to n has seen all below.';
CREATE UNIQUE INDEX event_order ON ledger.event (n) WHERE n IS NOT NULL;
CREATE INDEX event_tenant ON ledger.event (tenant, n) WHERE n IS NOT NULL;
CREATE INDEX event_unnumbered ON ledger.event (tenant, at) WHERE n IS NULL;

-- What the row of a success says where it is the first after failures, of slots or of attempts of its own slot; null
-- where it is not. Attempts that nobody began have not failed.
CREATE FUNCTION ledger.recovery(failures integer, wake text, history jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN failures > 0 THEN 'recovered after failed slots: ' || failures::text
                WHEN left(wake, 2) = 're' AND split_part(wake, ':', 2)::integer
                                              > coalesce((history -> 0 ->> 'unhanded')::integer, 0)
                THEN 'recovered after failed attempts' END
$$;
REVOKE EXECUTE ON FUNCTION ledger.recovery(integer, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.recovery(integer, text, jsonb) TO ledger_tenant, ledger_dispatcher, ledger_sweeper;

-- The last number given. Whoever gives numbers holds the row until that is committed.
CREATE TABLE ledger.event_count (
    single  boolean PRIMARY KEY DEFAULT true CHECK (single),
    last    bigint NOT NULL
);
INSERT INTO ledger.event_count (last) VALUES (0);

-- Up to which number a tenant's events are no longer all there.
CREATE TABLE ledger.event_gone (
    tenant  text COLLATE "C" PRIMARY KEY,
    n       bigint NOT NULL,
    at      timestamptz NOT NULL
);

-- Gives numbers to a tenant's events (null: everybody's), `most` at most; how many. Where another gives some at this
-- moment, none are given: it goes on without waiting. Read committed: the second statement sees what has committed
-- before the lock came, and no number is given out of the lock.
CREATE FUNCTION ledger.number_events(whose text, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    -- A join by which the whole table is read may look cheap to whoever does not know how few have no number yet.
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    given bigint;
    done  integer;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'events are numbered in a transaction that is read committed';
    END IF;
    -- Nothing to do is seen without taking, and so without writing, anything.
    IF NOT EXISTS (SELECT FROM ledger.event w WHERE w.n IS NULL AND w.tenant = coalesce(whose, w.tenant)) THEN
        RETURN 0;
    END IF;
    SELECT c.last INTO given FROM ledger.event_count c WHERE c.single FOR UPDATE SKIP LOCKED;
    IF given IS NULL THEN
        RETURN 0;
    END IF;
    IF whose IS NULL THEN
        UPDATE ledger.event e SET n = given + f.place
          FROM (SELECT u.key, u.tenant, row_number() OVER (ORDER BY u.at, u.key) AS place
                  FROM (SELECT w.key, w.tenant, w.at FROM ledger.event w WHERE w.n IS NULL LIMIT most) u) f
         WHERE e.key = f.key AND e.tenant = f.tenant;
    ELSE
        UPDATE ledger.event e SET n = given + f.place
          FROM (SELECT u.key, u.tenant, row_number() OVER (ORDER BY u.at, u.key) AS place
                  FROM (SELECT w.key, w.tenant, w.at FROM ledger.event w
                         WHERE w.n IS NULL AND w.tenant = whose ORDER BY w.at LIMIT most) u) f
         WHERE e.key = f.key AND e.tenant = f.tenant;
    END IF;
    GET DIAGNOSTICS done = ROW_COUNT;
    IF done > 0 THEN
        UPDATE ledger.event_count c SET last = given + done WHERE c.single;
    END IF;
    RETURN done;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.number_events(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.number_events(text, integer) TO ledger_tenant, ledger_dispatcher, ledger_sweeper;

-- Who is sent events, and how far. `secret` says where its secrets are (`env:NAME`, `file:PATH`), never what they are.
CREATE TABLE ledger.subscriber (
    name      text COLLATE "C" PRIMARY KEY,
    tenant    text COLLATE "C",
    url       text COLLATE "C" NOT NULL,
    kinds     text[] COLLATE "C" NOT NULL CHECK (cardinality(kinds) > 0),
    secret    text COLLATE "C" NOT NULL CHECK (secret ~ '^(env|file):.'),
    bound     interval NOT NULL CHECK (bound > interval '0'),
    added     timestamptz NOT NULL,
    by        text COLLATE "C" NOT NULL,
    after     bigint NOT NULL,
    sent      bigint NOT NULL DEFAULT 0,
    dropped   bigint NOT NULL DEFAULT 0,
    failures  integer NOT NULL DEFAULT 0,
    try_at    timestamptz NOT NULL,
    sent_at   timestamptz,
    error     text
);
COMMENT ON COLUMN ledger.subscriber.tenant IS 'Null: the events of all tenants.';
COMMENT ON COLUMN ledger.subscriber.bound IS 'So long its events are kept for it; what is older and unsent is dropped, and counted in `dropped`.';
COMMENT ON COLUMN ledger.subscriber.try_at IS 'When it may be taken up next. Whoever takes it up moves it on first, so one process at a time sends.';

DO $$
DECLARE
    tab text;
BEGIN
    FOREACH tab IN ARRAY ARRAY['event', 'event_gone'] LOOP
        EXECUTE format('ALTER TABLE ledger.%I ENABLE ROW LEVEL SECURITY', tab);
        EXECUTE format('CREATE POLICY own ON ledger.%I TO ledger_tenant
                        USING (tenant = (SELECT ledger.current_tenant()))
                        WITH CHECK (tenant = (SELECT ledger.current_tenant()))', tab);
        EXECUTE format('CREATE POLICY read_all ON ledger.%I FOR SELECT
                        TO ledger_dispatcher, ledger_sweeper, ledger_reader USING (true)', tab);
        EXECUTE format('GRANT SELECT ON ledger.%I TO ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader', tab);
    END LOOP;
END $$;
CREATE POLICY add_all ON ledger.event FOR INSERT TO ledger_dispatcher, ledger_sweeper WITH CHECK (true);
CREATE POLICY drop_old ON ledger.event FOR DELETE TO ledger_sweeper USING (true);
CREATE POLICY note_all ON ledger.event_gone TO ledger_sweeper USING (true) WITH CHECK (true);
GRANT INSERT ON ledger.event TO ledger_tenant, ledger_dispatcher, ledger_sweeper;
GRANT DELETE ON ledger.event TO ledger_sweeper;
GRANT INSERT, UPDATE ON ledger.event_gone TO ledger_sweeper;
GRANT SELECT ON ledger.event_count TO ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader;

-- Tenants do not see who is told of them: addresses are the operator's.
GRANT SELECT ON ledger.subscriber TO ledger_dispatcher, ledger_sweeper, ledger_reader;
GRANT UPDATE (after, sent, failures, try_at, sent_at, error) ON ledger.subscriber TO ledger_dispatcher;
GRANT UPDATE (dropped) ON ledger.subscriber TO ledger_sweeper;
