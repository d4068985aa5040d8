-- Reads what the verdict before says of its drill: where the next one starts, and how often none could be tried.
-- Promises: I13. Parameters: tenant. Index: verdict_pkey. Zero rows: the tenant's first pass.
SELECT v.drill_task, v.untried FROM ledger.verdict v WHERE v.tenant = %(tenant)s
