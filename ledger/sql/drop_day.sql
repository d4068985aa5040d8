-- Drops a day of the archive with all that it holds; from now on history is kept from its end on.
-- Promises: I16. Parameters: day. One row; false: there was no such day.
SELECT ledger.drop_day(%(day)s::date) AS dropped
