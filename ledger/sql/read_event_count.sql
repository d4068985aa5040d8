-- Reads the last number given, and up to which number a tenant's events were removed. Read before the events
-- themselves: what has a number up to this one is seen by whatever is asked after it.
-- Parameters: tenant: null for all. Index: event_gone_pkey. Answers one row.
SELECT c.last, coalesce((SELECT g.n FROM ledger.event_gone g WHERE g.tenant = %(tenant)s::text), 0) AS gone
  FROM ledger.event_count c WHERE c.single
