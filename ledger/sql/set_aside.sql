-- Sets aside a row that fails alone, outside the due indexes until retry_at; due and run_at stay.
-- Promises: I12. Parameters: key, tenant, reason, wait: interval. Index: occurrence_pkey.
-- Zero rows: no longer pending; nothing is to be done.
UPDATE ledger.occurrence o
   SET blocked_by = o.key, reason = %(reason)s, retry_at = now() + %(wait)s
 WHERE o.key = %(key)s AND o.tenant = %(tenant)s AND o.state = 'pending'
RETURNING o.key, o.tenant
