-- Takes back that agents are gone: a person asks for a task of theirs. Parameters: tenant; agents: array.
-- Index: gone_agent_pkey. Answers no rows.
DELETE FROM ledger.gone_agent g WHERE g.tenant = %(tenant)s AND g.agent = ANY (%(agents)b::text[])
