-- Reads a tenant's tasks that are on and whose texts name one of some zones; a payload may name it too, so the text comes
-- with them. Asked only where a zone cannot be read.
-- Promises: I12. Parameters: tenant, zones. Index: task_pkey, definition_pkey.
-- Zero rows: no task of the tenant names one of them.
SELECT t.task, d.canonical
  FROM ledger.task t
  JOIN ledger.definition d ON d.tenant = t.tenant AND d.digest = t.digest
 WHERE t.tenant = %(tenant)s AND t.enabled AND d.canonical LIKE '%%"timezone":"%%'
   AND EXISTS (SELECT FROM unnest(%(zones)b::text[]) z WHERE strpos(d.canonical, '"timezone":"' || z || '"') > 0)
 ORDER BY t.task
