-- Run before every migration, and safe to run again: roles (they belong to the whole server), schema, log.
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['ledger_owner', 'ledger_dispatcher', 'ledger_sweeper', 'ledger_tenant', 'ledger_reader'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- another database of this server is being migrated at the same moment
        END;
        -- Whoever migrates may take every role; other logins are granted theirs by the operator.
        IF NOT pg_has_role(current_user, role, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO %I', role, current_user);
        END IF;
    END LOOP;
    EXECUTE format('GRANT CREATE ON DATABASE %I TO ledger_owner', current_database());
END $$;

SET LOCAL ROLE ledger_owner;

CREATE SCHEMA IF NOT EXISTS ledger;

CREATE TABLE IF NOT EXISTS ledger.migration (
    name    text COLLATE "C" PRIMARY KEY,
    digest  text COLLATE "C" NOT NULL,
    at      timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON ledger.migration TO ledger_dispatcher, ledger_sweeper, ledger_tenant, ledger_reader;
GRANT USAGE ON SCHEMA ledger TO ledger_dispatcher, ledger_sweeper, ledger_tenant, ledger_reader;
