-- Judges a page of rows by SQL alone: whether each bears the fingerprint and the key of the facts beside it. Pages are
-- those of read_named; the functions are the database's own, and share nothing with this package's code.
-- Promises: I1. Parameters: key, tenant: the last row of the page before; until: the last key of the
-- part; n: rows at most.
-- Index: occurrence_pkey and archive_pkey, walked from there. Zero rows: all have been judged.
WITH page AS MATERIALIZED (
    (SELECT o.key, o.tenant, o.task, o.delivery, o.wake, o.agent, o.destination, o.digest, o.due, o.fingerprint,
            o.key_version
       FROM ledger.occurrence o
      WHERE (o.key, o.tenant) > (%(key)s::uuid, %(tenant)s::text) AND o.key <= %(until)s::uuid
      ORDER BY o.key, o.tenant
      LIMIT %(n)s::integer)
    UNION ALL
    (SELECT a.key, a.tenant, a.task, a.delivery, a.wake, a.agent, a.destination, a.digest, a.due, a.fingerprint,
            a.key_version
       FROM ledger.archive a
      WHERE (a.key, a.tenant) > (%(key)s::uuid, %(tenant)s::text) AND a.key <= %(until)s::uuid
      ORDER BY a.key, a.tenant
      LIMIT %(n)s::integer)
    ORDER BY key, tenant
    LIMIT %(n)s::integer
)
SELECT p.key, p.tenant, p.task,
       p.key_version = 1 AND p.key = ledger.key_of(p.fingerprint, p.due)
       AND p.fingerprint = ledger.fingerprint_of(p.tenant, p.delivery, p.wake, p.agent, p.destination, p.task, p.digest,
                                                 p.due) AS named
  FROM page p
 ORDER BY p.key, p.tenant
