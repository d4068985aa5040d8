-- The door of every claim: whether this incarnation may start runs, and what is in force.
-- `free` also holds, for the transaction, the lock that says a claim of this incarnation is under way: whoever reads
-- back what it has claimed waits for it. `present` is read from the lock itself, not from what the process believes;
-- `expelled` says by whom and why a person has ended its presence all the same.
-- Promises: I20. Parameters: claims, presence (classes of locks), id, held (false: it has no presence to lose).
-- Index: incarnation_pkey.
-- Zero rows: the database was never migrated.
SELECT pg_try_advisory_xact_lock_shared(%(claims)s::integer, %(id)s::integer) AS free,
       NOT %(held)s::boolean OR NOT pg_try_advisory_xact_lock_shared(%(presence)s::integer, %(id)s::integer) AS present,
       s.schema_version, s.key_version, s.digest_version, s.dialect, s.tzdata,
       (SELECT 'expelled by ' || i.expelled_by || ': ' || i.expelled_why FROM ledger.incarnation i
         WHERE i.id = %(id)s::integer AND i.expelled IS NOT NULL) AS expelled
  FROM ledger.settings s
