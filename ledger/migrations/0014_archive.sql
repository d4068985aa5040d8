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

-- Everything that a tenant has, in whatever table of whatever release: those that name a tenant. What is open leaves for
-- the archive and never comes back, so the archive is read last.
CREATE TABLE ledger.tombstone (
    tenant  text COLLATE "C" PRIMARY KEY,
    at      timestamptz NOT NULL,
    by      text COLLATE "C" NOT NULL,
    rows    bigint NOT NULL
);
COMMENT ON TABLE ledger.tombstone IS 'All that is left of a tenant that was deleted: when, by whom, and how many rows it had.';
GRANT SELECT ON ledger.tombstone TO ledger_reader;

CREATE FUNCTION ledger.tenant_tables() RETURNS SETOF text
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.relname::text
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
     WHERE c.relnamespace = 'ledger'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> 'tombstone'
     ORDER BY c.relname <> 'task', c.relname = 'archive', c.relname;
$$;

-- The condition that a row of a table stands behind another in the order of its primary key, and that order.
CREATE FUNCTION ledger.behind(tab text, after jsonb, OUT condition text, OUT ordered text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT format('(%s) > (%s)', string_agg(format('t.%I', a.attname), ', ' ORDER BY k.place),
                  string_agg(format('%L::%s', after ->> a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY k.place)),
           string_agg(format('t.%I', a.attname), ', ' ORDER BY k.place)
      INTO condition, ordered
      FROM pg_index i
     CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
     WHERE i.indrelid = format('ledger.%I', tab)::regclass AND i.indisprimary;
    IF after IS NULL THEN
        condition := 'true';
    END IF;
END $$;

-- A page of what a tenant has in a table, behind a row in the order of its primary key.
CREATE FUNCTION ledger.tenant_page(tab text, whose text, after jsonb, n integer) RETURNS SETOF jsonb
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place record;
BEGIN
    SELECT * INTO place FROM ledger.behind(tab, after);
    RETURN QUERY EXECUTE format('SELECT to_jsonb(t) FROM ledger.%I t WHERE t.tenant = $1 AND %s ORDER BY %s LIMIT $2',
                                tab, place.condition, place.ordered) USING whose, n;
END $$;

-- Deletes such a page; how many rows it had, and the last of them.
CREATE FUNCTION ledger.drop_tenant_page(tab text, whose text, after jsonb, n integer, OUT gone integer, OUT last jsonb)
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place record;
BEGIN
    SELECT * INTO place FROM ledger.behind(tab, after);
    EXECUTE format('WITH page AS MATERIALIZED (
                        SELECT %1$s FROM ledger.%2$I t WHERE t.tenant = $1 AND %3$s ORDER BY %1$s LIMIT $2 FOR UPDATE
                    ), dropped AS (
                        DELETE FROM ledger.%2$I t USING page WHERE (%1$s) = (%4$s) RETURNING 1
                    )
                    SELECT (SELECT count(*) FROM dropped), (SELECT to_jsonb(page) FROM page ORDER BY page DESC LIMIT 1)',
                   place.ordered, tab, place.condition, replace(place.ordered, 't.', 'page.'))
        INTO gone, last USING whose, n;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.tenant_tables(), ledger.behind(text, jsonb), ledger.tenant_page(text, text, jsonb, integer),
    ledger.drop_tenant_page(text, text, jsonb, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.tenant_tables(), ledger.behind(text, jsonb), ledger.tenant_page(text, text, jsonb, integer)
    TO ledger_reader;
