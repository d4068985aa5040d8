-- Lists the hints of a task that still count: neither consumed nor expired.
-- Parameters: tenant, task. Index: hint_pkey. Zero rows: none counts.
SELECT h.kind, h.at, h.every, h.given, h.expires, h.by, h.note
  FROM ledger.hint h
 WHERE h.tenant = %(tenant)s AND h.task = %(task)s AND h.consumed_by IS NULL AND h.expires > now()
 ORDER BY h.kind
