-- Says that all rows are moved to the zone rules in force.
-- Promises: I20. Parameters: tzdata. Zero rows: others are in force meanwhile, or no move was under way.
UPDATE ledger.settings s SET zones_from = NULL
  FROM (SELECT b.zones_from FROM ledger.settings b) before
 WHERE s.tzdata = %(tzdata)s AND s.zones_from IS NOT NULL
RETURNING before.zones_from
