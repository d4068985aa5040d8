-- Row-level security: the second wall between tenants. Every statement names its tenant; that is the first.

CREATE FUNCTION ledger.current_tenant() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    given text := current_setting('ledger.tenant', true);
BEGIN
    -- After a SET LOCAL has ended the setting reads '', which would hide every row in silence. So it raises.
    IF given IS NULL OR given = '' THEN
        RAISE EXCEPTION 'ledger.tenant is not set: row-level security cannot say whose rows these are'
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Reach the ledger through its API, or SET LOCAL ledger.tenant first.';
    END IF;
    RETURN given;
END $$;

DO $$
DECLARE
    tab text;
BEGIN
    -- Tables whose rows belong to a tenant.
    FOREACH tab IN ARRAY ARRAY['tenant_limit', 'usage', 'task', 'definition', 'act', 'hint', 'occurrence', 'archive',
                               'evidence', 'claimed_once', 'gone_agent', 'verdict', 'verdict_log'] LOOP
        EXECUTE format('ALTER TABLE ledger.%I ENABLE ROW LEVEL SECURITY', tab);
        EXECUTE format('CREATE POLICY own ON ledger.%I TO ledger_tenant
                        USING (tenant = (SELECT ledger.current_tenant()))
                        WITH CHECK (tenant = (SELECT ledger.current_tenant()))', tab);
        EXECUTE format('CREATE POLICY read_all ON ledger.%I FOR SELECT
                        TO ledger_dispatcher, ledger_sweeper, ledger_reader USING (true)', tab);
        EXECUTE format('GRANT SELECT ON ledger.%I TO ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader', tab);
    END LOOP;

    -- What the runtime may write over all tenants.
    FOREACH tab IN ARRAY ARRAY['occurrence', 'evidence', 'usage', 'gone_agent'] LOOP
        EXECUTE format('CREATE POLICY add_all ON ledger.%I FOR INSERT
                        TO ledger_dispatcher, ledger_sweeper WITH CHECK (true)', tab);
    END LOOP;
    FOREACH tab IN ARRAY ARRAY['occurrence', 'usage'] LOOP
        EXECUTE format('CREATE POLICY change_all ON ledger.%I FOR UPDATE
                        TO ledger_dispatcher, ledger_sweeper USING (true) WITH CHECK (true)', tab);
    END LOOP;
    FOREACH tab IN ARRAY ARRAY['verdict', 'verdict_log'] LOOP
        EXECUTE format('CREATE POLICY judge ON ledger.%I TO ledger_sweeper USING (true) WITH CHECK (true)', tab);
    END LOOP;

    -- Tables of the fleet, of no tenant.
    FOREACH tab IN ARRAY ARRAY['settings', 'incarnation', 'dispatcher', 'pass'] LOOP
        EXECUTE format('GRANT SELECT ON ledger.%I TO ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader', tab);
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA ledger TO ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader;

-- A person's acts, within the tenant.
GRANT INSERT, UPDATE, DELETE ON ledger.task, ledger.hint TO ledger_tenant;
GRANT INSERT ON ledger.definition, ledger.act, ledger.evidence, ledger.claimed_once, ledger.gone_agent TO ledger_tenant;
GRANT INSERT, UPDATE ON ledger.occurrence TO ledger_tenant;

-- The runtime writes occurrences, never tasks or definitions (I5). To lock a task's row it needs UPDATE on one
-- column of it; the policy lets it lock every row and write none.
GRANT UPDATE (agent) ON ledger.task TO ledger_dispatcher, ledger_sweeper;
CREATE POLICY lock_only ON ledger.task FOR UPDATE TO ledger_dispatcher, ledger_sweeper USING (true) WITH CHECK (false);
GRANT UPDATE (note) ON ledger.tenant_limit TO ledger_dispatcher;
CREATE POLICY lock_only ON ledger.tenant_limit FOR UPDATE TO ledger_dispatcher USING (true) WITH CHECK (false);
GRANT INSERT, UPDATE ON ledger.occurrence, ledger.usage TO ledger_dispatcher, ledger_sweeper;
GRANT INSERT ON ledger.evidence, ledger.gone_agent TO ledger_dispatcher, ledger_sweeper;
GRANT INSERT, UPDATE ON ledger.incarnation, ledger.dispatcher TO ledger_dispatcher, ledger_sweeper;

-- The sweep deletes open rows within a savepoint that it rolls back: the drill.
GRANT DELETE ON ledger.occurrence TO ledger_sweeper;
CREATE POLICY drill ON ledger.occurrence FOR DELETE TO ledger_sweeper USING (true);
GRANT INSERT, UPDATE, DELETE ON ledger.pass, ledger.verdict, ledger.verdict_log TO ledger_sweeper;
