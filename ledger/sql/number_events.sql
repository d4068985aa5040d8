-- Gives numbers to events that have committed, so that they can be read; its lock is held until the commit.
-- Parameters: whose: a tenant, or null for all; most. Index: event_unnumbered.
-- Answers one row: how many; zero where all have theirs, or another gives some at this moment.
SELECT ledger.number_events(%(whose)s::text, %(most)s::integer) AS given
