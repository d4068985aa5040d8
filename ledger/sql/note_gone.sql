-- Notes the agents of runs that found them gone; the first such run stays noted.
-- Parameters: keys, tenants: arrays of one length. Index: occurrence_pkey, gone_agent_pkey. Answers no rows.
INSERT INTO ledger.gone_agent AS g (tenant, agent, at, key)
SELECT o.tenant, o.agent, now(), o.key
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = k.tenant
 ORDER BY o.tenant, o.agent, o.key
    ON CONFLICT ON CONSTRAINT gone_agent_pkey DO NOTHING
