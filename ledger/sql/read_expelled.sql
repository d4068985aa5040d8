-- Reads whether an incarnation was expelled, by whom and why. Parameters: id. Index: incarnation_pkey.
-- Zero rows: it was not.
SELECT 'expelled by ' || i.expelled_by || ': ' || i.expelled_why AS expelled
  FROM ledger.incarnation i
 WHERE i.id = %(id)s::integer AND i.expelled IS NOT NULL
