-- Policies of overlap: from when until when a row waited for runs in its way.

DO $$
DECLARE
    tab text;
BEGIN
    FOREACH tab IN ARRAY ARRAY['occurrence', 'archive'] LOOP
        EXECUTE format('ALTER TABLE ledger.%I ADD COLUMN queued timestamptz, ADD COLUMN freed timestamptz', tab);
    END LOOP;
END $$;
COMMENT ON COLUMN ledger.occurrence.queued IS 'When it first had to wait for a run in its way.';
COMMENT ON COLUMN ledger.occurrence.freed IS 'When it was last set free: what lies between is no lateness.';
