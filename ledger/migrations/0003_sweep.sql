-- What the sweep needs beside the book: what a verdict says in words, and the canary of its drill.

-- A cause is a word that programs compare; its detail is for people. `watch` holds what the tenant's owner should
-- look at though the ledger works: series that fail in a row.
ALTER TABLE ledger.verdict ADD COLUMN detail text, ADD COLUMN watch jsonb NOT NULL DEFAULT '{}';
ALTER TABLE ledger.verdict_log ADD COLUMN detail text;

-- The canary: a task that stands only within a drill, for a tenant that has no free row to drill with. Runtime roles
-- cannot write tasks (I5), and this is no way around that wall: the function makes one task of a name that no person's
-- task can have (it is no identifier), and no transaction in which it still stands at the end can commit.
CREATE FUNCTION ledger.refuse_canary() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the canary of tenant % was not rolled back: no transaction may commit it', NEW.tenant
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE CONSTRAINT TRIGGER canary_never_stays AFTER INSERT OR UPDATE ON ledger.task
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.task = 'the canary') EXECUTE FUNCTION ledger.refuse_canary();

CREATE FUNCTION ledger.plant_canary(tenant text, digest bytea, version integer, canonical text) RETURNS text
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO ledger.definition AS d (tenant, digest, version, canonical, at, by)
    VALUES (plant_canary.tenant, plant_canary.digest, plant_canary.version, plant_canary.canonical, now(), 'drill')
        ON CONFLICT ON CONSTRAINT definition_pkey DO NOTHING;
    INSERT INTO ledger.act (tenant, task, n, at, by, what, digest, enabled, resume_after)
    VALUES (plant_canary.tenant, 'the canary', 1, now(), 'drill', 'define', plant_canary.digest, true, now());
    INSERT INTO ledger.task (tenant, task, digest, agent, enabled)
    VALUES (plant_canary.tenant, 'the canary', plant_canary.digest, 'default', true)
    RETURNING task;
$$;
REVOKE EXECUTE ON FUNCTION ledger.plant_canary(text, bytea, integer, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.plant_canary(text, bytea, integer, text) TO ledger_sweeper;
