-- Laid over a migrated database by the tests of moves: time that a test chooses, and a log of every change.
CREATE SCHEMA stage;
GRANT USAGE ON SCHEMA stage TO ledger_owner, ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader;

-- With `search_path = stage, pg_catalog` the statements' plain now() is this one, whatever role runs them.
-- The same for all of a transaction, as the real one is; the clock may run on while a move waits for locks.
CREATE FUNCTION stage.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT pg_catalog.current_setting('stage.now')::timestamptz $$;
CREATE FUNCTION stage.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT pg_catalog.current_setting('stage.clock')::timestamptz $$;

-- Every state that a row has been in, in order, within transactions too: a look before and after would miss
-- what is opened and started in one.
CREATE SEQUENCE stage.turn;
CREATE TABLE stage.log (seq bigint PRIMARY KEY, op text NOT NULL, LIKE ledger.occurrence);

CREATE FUNCTION stage.keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO stage.log SELECT nextval('stage.turn'), TG_OP, (OLD).*;
    ELSE
        INSERT INTO stage.log SELECT nextval('stage.turn'), TG_OP, (NEW).*;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER kept AFTER INSERT OR UPDATE OR DELETE ON ledger.occurrence FOR EACH ROW EXECUTE FUNCTION stage.keep();

-- What moves write; a test counts the other tables, which they leave alone.
CREATE FUNCTION stage.tables() RETURNS SETOF text LANGUAGE sql IMMUTABLE
    AS $$ VALUES ('task'), ('definition'), ('act'), ('occurrence'), ('hint'), ('backfill'), ('rerun'),
                 ('rerun_row'), ('evidence'), ('verdict'), ('verdict_log'), ('event') $$;

-- Remembers what the tables hold now.
CREATE FUNCTION stage.remember() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT stage.tables() LOOP
        EXECUTE format('DROP TABLE IF EXISTS stage.kept_%1$s', t);
        EXECUTE format('CREATE TABLE stage.kept_%1$s AS SELECT * FROM ledger.%1$s', t);
    END LOOP;
END $$;

-- Puts back what was remembered; rows are deleted and not truncated, which takes a millisecond instead of twenty.
CREATE FUNCTION stage.restore() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT stage.tables() LOOP
        EXECUTE format('DELETE FROM ledger.%1$s', t);
        EXECUTE format('INSERT INTO ledger.%1$s OVERRIDING SYSTEM VALUE SELECT * FROM stage.kept_%1$s', t);
    END LOOP;
    DELETE FROM stage.log;
END $$;

CREATE FUNCTION stage.clear() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (SELECT 'TRUNCATE stage.log, ' || string_agg('ledger.' || t, ', ') FROM stage.tables() t);
END $$;

-- All that moves write, comparable: without numbers that the database gave out.
CREATE FUNCTION stage.state() RETURNS TABLE (name text, line text) LANGUAGE plpgsql AS $$
BEGIN
    FOR name IN SELECT stage.tables() LOOP
        RETURN QUERY EXECUTE format('SELECT %1$L, (to_jsonb(t) - ''id'')::text FROM ledger.%1$s t ORDER BY 2', name);
    END LOOP;
END $$;

-- A transaction that left its error here fails as it commits, as one may whose log has no room.
CREATE TABLE stage.refusal (sqlstate text NOT NULL);
GRANT INSERT ON stage.refusal TO ledger_tenant, ledger_dispatcher, ledger_sweeper;
CREATE FUNCTION stage.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'refused as it commits' USING ERRCODE = NEW.sqlstate;
END $$;
CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON stage.refusal DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION stage.refuse();

CREATE FUNCTION stage.fail(code text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'thrown by a test' USING ERRCODE = code;
END $$;
