-- The clock of a test's database: it may be ahead of the real one, in a session that asks for it.
-- No migration makes this schema and no role of production's reaches it: rows start ahead of their time in databases
-- that `ledger.testing` has made, and in no others.
-- With `search_path = ledger_testing, pg_catalog` the moves' plain now() is the one below.
CREATE SCHEMA ledger_testing;
GRANT USAGE ON SCHEMA ledger_testing TO ledger_tenant, ledger_dispatcher;

CREATE FUNCTION ledger_testing.ahead() RETURNS interval LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT coalesce(nullif(pg_catalog.current_setting('ledger_testing.ahead_us', true), ''), '0')::bigint
                 * interval '1 microsecond' $$;
CREATE FUNCTION ledger_testing.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT pg_catalog.now() + ledger_testing.ahead() $$;
CREATE FUNCTION ledger_testing.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
    AS $$ SELECT pg_catalog.clock_timestamp() + ledger_testing.ahead() $$;

-- Lets this session's clock run on from an instant; where that has passed, from the real time.
CREATE FUNCTION ledger_testing.run_on(since timestamptz) RETURNS text LANGUAGE sql
    AS $$ SELECT set_config('search_path', 'ledger_testing, pg_catalog', false) || set_config('ledger_testing.ahead_us',
                 greatest(0, ceil(extract(epoch FROM since - pg_catalog.clock_timestamp()) * 1000000))::bigint::text, false) $$;

-- When something happened last: to a tenant's tasks, and to one task by a person's act. Null where nothing has.
CREATE FUNCTION ledger_testing.latest(of_tenant text) RETURNS timestamptz LANGUAGE sql STABLE
    AS $$ SELECT greatest((SELECT max(a.at) FROM ledger.act a WHERE a.tenant = of_tenant),
                          (SELECT max(greatest(o.started, o.closed)) FROM ledger.occurrence o WHERE o.tenant = of_tenant)) $$;
CREATE FUNCTION ledger_testing.last_act(of_tenant text, of_task text) RETURNS timestamptz LANGUAGE sql STABLE
    AS $$ SELECT max(a.at) FROM ledger.act a WHERE a.tenant = of_tenant AND a.task = of_task $$;
