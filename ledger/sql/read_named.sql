-- Reads what rows are named by, a page in the order of their keys, open and closed ones, the archive too.
-- Promises: I1. Parameters: key, tenant: the last row of the page before; until: the last key of the
-- part; n: rows at most.
-- Index: occurrence_pkey and archive_pkey, walked from there. Zero rows: all have been read.
(SELECT o.key, o.tenant, o.task, o.delivery, o.wake, o.agent, o.destination, o.digest, o.due, o.fingerprint, o.key_version
   FROM ledger.occurrence o
  WHERE (o.key, o.tenant) > (%(key)s::uuid, %(tenant)s::text) AND o.key <= %(until)s::uuid
  ORDER BY o.key, o.tenant
  LIMIT %(n)s::integer)
UNION ALL
(SELECT a.key, a.tenant, a.task, a.delivery, a.wake, a.agent, a.destination, a.digest, a.due, a.fingerprint, a.key_version
   FROM ledger.archive a
  WHERE (a.key, a.tenant) > (%(key)s::uuid, %(tenant)s::text) AND a.key <= %(until)s::uuid
  ORDER BY a.key, a.tenant
  LIMIT %(n)s::integer)
ORDER BY key, tenant
LIMIT %(n)s::integer
