-- Lists the tasks of agents that are gone, with the run that found it, of one tenant or of all.
-- Parameters: tenant (null: all), n: rows at most. Index: gone_agent_pkey (a table of few rows), task_agent.
-- Zero rows: no task is left of an agent that is gone.
SELECT t.tenant, t.task, g.agent, g.key
  FROM ledger.gone_agent g JOIN ledger.task t ON t.tenant = g.tenant AND t.agent = g.agent
 WHERE %(tenant)s::text IS NULL OR g.tenant = %(tenant)s
 ORDER BY t.tenant, t.task
 LIMIT %(n)s
