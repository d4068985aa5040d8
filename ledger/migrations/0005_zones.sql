-- Zone rules that change: under which release each row was projected, a move of the rules that is under way, and the
-- setting of platforms that keep zones out.

-- `zones_from`: the release from which the rules are being moved to the one in force; null once all rows are moved.
ALTER TABLE ledger.settings ADD COLUMN zones_from text COLLATE "C", ADD COLUMN utc_only boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN ledger.settings.utc_only IS 'No task may name a zone: all schedules are read in UTC.';

-- The release of the zone rules under which a row's instant was derived. Rows that stand were derived under the one in
-- force: a default says so without writing any of them, and goes again at once, since who opens a row states its own.
DO $$
DECLARE
    known text := (SELECT tzdata FROM ledger.settings);
    tab   text;
BEGIN
    FOREACH tab IN ARRAY ARRAY['occurrence', 'archive'] LOOP
        EXECUTE format('ALTER TABLE ledger.%I ADD COLUMN tzdata text COLLATE "C" DEFAULT %L', tab, known);
        EXECUTE format('ALTER TABLE ledger.%I ALTER COLUMN tzdata DROP DEFAULT', tab);
    END LOOP;
END $$;
COMMENT ON COLUMN ledger.occurrence.tzdata IS
    'The release of the zone rules that gave this instant; null where whoever opened the row did not say (I20).';

-- One act for each task whose open row the new rules move, by whoever moves it: the sweep too, for what was left behind.
ALTER TABLE ledger.act DROP CONSTRAINT act_what_check;
ALTER TABLE ledger.act ADD CONSTRAINT act_what_check
    CHECK (what IN ('define', 'edit', 'enable', 'disable', 'delete', 'zones'));
GRANT INSERT ON ledger.act TO ledger_sweeper;
CREATE POLICY add_zones ON ledger.act FOR INSERT TO ledger_sweeper WITH CHECK (what = 'zones');
