-- I9: nothing starts before its time.
SELECT tenant, task, key, run_at, started FROM ledger.occurrence WHERE started < run_at
