-- Finds a row in the archive by its key, whose day is in it.
-- Promises: I2. Parameters: tenant, key; low, high: the millisecond that the key says, both ends in it.
-- Index: archive_pkey, of one day. Zero rows: no such key lies there.
SELECT a.key, a.tenant, a.task, a.fingerprint, a.state, a.due FROM ledger.archive a
 WHERE a.key = %(key)s AND a.tenant = %(tenant)s AND a.due >= %(low)s AND a.due <= %(high)s
