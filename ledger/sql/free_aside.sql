-- Frees a row that was set aside and whose next try has come; what it was set aside for stays in its history.
-- Promises: I12. Parameters: key, tenant. Index: occurrence_pkey, or waiting (empty for
-- ordinary rows). Zero rows: another has freed it, or it is not time.
UPDATE ledger.occurrence o SET blocked_by = NULL, retry_at = NULL, reason = NULL
 WHERE o.key = %(key)s AND o.tenant = %(tenant)s AND o.state = 'pending' AND o.blocked_by = o.key AND o.retry_at <= now()
RETURNING o.key, o.tenant
