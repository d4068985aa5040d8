-- Lets the statements that follow in this transaction be planned for their own values: of the archive's many days each
-- then plans, locks and reads those that it asks for, and no other. No parameters. One row.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true) AS plans
