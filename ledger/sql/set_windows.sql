-- Sets how long rows stay hot and how long history is kept; what is null stays as it is.
-- Parameters: hot, history. Zero rows: the database was never migrated.
UPDATE ledger.settings s SET hot = coalesce(%(hot)s::interval, s.hot), history = coalesce(%(history)s::interval, s.history)
RETURNING s.hot, s.history
