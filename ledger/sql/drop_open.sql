-- Takes an open row away, within the savepoint of a drill: the hole that the repair must see and mend.
-- Promises: I13. Parameters: tenant, key. Index: occurrence_pkey. Zero rows: the row could not be taken away.
DELETE FROM ledger.occurrence o WHERE o.key = %(key)s AND o.tenant = %(tenant)s AND o.state = 'pending'
RETURNING o.key, o.tenant
