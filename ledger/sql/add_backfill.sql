-- Keeps what was asked for: the slots that are to run, in order; the first of them is opened in the same transaction.
-- Promises: I15. Parameters: tenant, task, request, since, until, slots: array; opened, ran, coming, at_once, at, by.
-- Index: backfill_pkey raises where the request was made before. Answers no rows.
INSERT INTO ledger.backfill (tenant, task, request, since, until, slots, opened, ran, coming, at_once, at, by)
VALUES (%(tenant)s, %(task)s, %(request)s, %(since)s, %(until)s, %(slots)b::timestamptz[], %(opened)s, %(ran)s, %(coming)s,
        %(at_once)s, %(at)s, %(by)s)
