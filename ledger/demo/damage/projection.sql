-- DEMO_BREAK=projection: every successor that a start opens is gone again when its transaction commits.
CREATE FUNCTION public.swallow_successor() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM ledger.occurrence o WHERE o.key = NEW.key AND o.tenant = NEW.tenant AND o.state = 'pending';
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER swallow_successor AFTER INSERT ON ledger.occurrence
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.made_by IN ('start', 'claim'))
    EXECUTE FUNCTION public.swallow_successor();
