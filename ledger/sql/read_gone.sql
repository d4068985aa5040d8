-- Reads which agents of some tenants are gone. Parameters: tenants: array. Index: gone_agent_pkey (a table of few rows).
-- Zero rows: none, as nearly always.
SELECT g.tenant, g.agent FROM ledger.gone_agent g WHERE g.tenant = ANY (%(tenants)b::text[])
