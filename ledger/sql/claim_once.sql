-- Claims an effect of a run, once: a second claim waits for the first one's transaction, and is false if that commits.
-- Parameters: key, effect. Index: occurrence_pkey, archive_pkey, claimed_once_pkey. One row; null: there is no such key.
SELECT ledger.claim_once(%(key)s::uuid, %(effect)s::text) AS claimed
