-- DEMO_BREAK=repair: nothing that a sweep inserts gets into the table.
CREATE FUNCTION public.swallow_repair() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER swallow_repair BEFORE INSERT ON ledger.occurrence
    FOR EACH ROW WHEN (NEW.made_by = 'sweep') EXECUTE FUNCTION public.swallow_repair();
