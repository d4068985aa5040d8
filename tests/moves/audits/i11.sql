-- I11: whatever started did so under the digest in force, of a task that was on.
SELECT o.tenant, o.task, o.key, o.started
  FROM ledger.occurrence o
 WHERE o.started IS NOT NULL AND NOT EXISTS (
        SELECT FROM ledger.act a
         WHERE a.tenant = o.tenant AND a.task = o.task AND a.enabled AND a.digest = o.digest AND a.at <= o.started
           AND NOT EXISTS (
                SELECT FROM ledger.act later
                 WHERE later.tenant = a.tenant AND later.task = a.task AND later.n > a.n AND later.at < o.started))
