-- The archive at work: how long rows stay hot and history is kept, its days as partitions, and requests that lie there.

ALTER TABLE ledger.settings
    ADD COLUMN hot interval NOT NULL DEFAULT '7 days',
    ADD COLUMN history interval NOT NULL DEFAULT '400 days',
    ADD COLUMN kept_from timestamptz,
    ADD CONSTRAINT settings_windows CHECK (hot >= interval '0' AND history >= hot);
COMMENT ON COLUMN ledger.settings.hot IS 'A closed row that is older moves to the archive.';
COMMENT ON COLUMN ledger.settings.history IS 'A day of the archive that is older is dropped.';
COMMENT ON COLUMN ledger.settings.kept_from IS 'Before this instant history has been dropped; null: nothing has (I16).';

-- A request names no day, so what its row has come to is found here and not by a look at every day (I15).
CREATE TABLE ledger.archived_request (
    tenant  text COLLATE "C" NOT NULL,
    task    text COLLATE "C" NOT NULL,
    wake    text COLLATE "C" NOT NULL,
    key     uuid NOT NULL,
    state   text COLLATE "C" NOT NULL,
    due     timestamptz NOT NULL,
    CONSTRAINT archived_request_pkey PRIMARY KEY (tenant, task, wake)
);
ALTER TABLE ledger.archived_request ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON ledger.archived_request TO ledger_tenant
    USING (tenant = (SELECT ledger.current_tenant())) WITH CHECK (tenant = (SELECT ledger.current_tenant()));
CREATE POLICY read_all ON ledger.archived_request FOR SELECT
    TO ledger_dispatcher, ledger_sweeper, ledger_reader USING (true);
GRANT SELECT ON ledger.archived_request TO ledger_tenant, ledger_dispatcher, ledger_sweeper, ledger_reader;

-- The sweep moves rows there; nobody changes one that lies there.
GRANT INSERT ON ledger.archive, ledger.archived_request TO ledger_sweeper;
CREATE POLICY add_all ON ledger.archive FOR INSERT TO ledger_sweeper WITH CHECK (true);
CREATE POLICY add_all ON ledger.archived_request FOR INSERT TO ledger_sweeper WITH CHECK (true);

-- Makes the partitions of days (in UTC) that lack one; answers those it made. Partitions belong to the owner.
CREATE FUNCTION ledger.make_days(days date[]) RETURNS SETOF date
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
    one  date;
    name text;
BEGIN
    FOR one IN SELECT DISTINCT d FROM unnest(days) d ORDER BY d LOOP
        name := 'archive_' || to_char(one, 'YYYYMMDD');
        IF to_regclass(format('ledger.%I', name)) IS NULL THEN
            EXECUTE format('CREATE TABLE IF NOT EXISTS ledger.%I PARTITION OF ledger.archive FOR VALUES FROM (%L) TO (%L)',
                           name, one::timestamptz, (one + 1)::timestamptz);
            RETURN NEXT one;
        END IF;
    END LOOP;
END $$;

-- Drops the partition of a day with all that it holds, and says so where nobody can miss it; false: there is none.
CREATE FUNCTION ledger.drop_day(day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    name text := 'archive_' || to_char(day, 'YYYYMMDD');
BEGIN
    IF to_regclass(format('ledger.%I', name)) IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE ledger.%I', name);
    DELETE FROM ledger.archived_request r WHERE r.due < (day + 1)::timestamptz;
    UPDATE ledger.settings SET kept_from = greatest(kept_from, (day + 1)::timestamptz);
    RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.make_days(date[]), ledger.drop_day(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.make_days(date[]), ledger.drop_day(date) TO ledger_sweeper;
