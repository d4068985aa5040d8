-- Removes who was sent events. Parameters: name. Index: subscriber_pkey. Zero rows: there is no such subscriber.
DELETE FROM ledger.subscriber s WHERE s.name = %(name)s
RETURNING s.name
