-- A handler's claim of an effect, in a transaction of its own platform: it knows the key of its run and nothing else.
-- The tenant is the key's, whatever the session says, so no claim can stand under another's name; a key names one row,
-- and this is all that the function tells of it. Null: the ledger has no such key.
CREATE FUNCTION ledger.claim_once(key uuid, effect text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner text;
BEGIN
    SELECT o.tenant INTO owner FROM ledger.occurrence o WHERE o.key = claim_once.key;
    IF owner IS NULL THEN
        SELECT a.tenant INTO owner FROM ledger.archive a WHERE a.key = claim_once.key;
    END IF;
    IF owner IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO ledger.claimed_once AS c (tenant, key, name) VALUES (owner, claim_once.key, claim_once.effect)
        ON CONFLICT ON CONSTRAINT claimed_once_pkey DO NOTHING;
    RETURN FOUND;
END $$;
REVOKE EXECUTE ON FUNCTION ledger.claim_once(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.claim_once(uuid, text) TO ledger_tenant;
