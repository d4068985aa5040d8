-- Reads a page of what a tenant has in a table, in the order of the table's primary key.
-- Parameters: name, tenant; after: the row before, as JSON, null for the first page; n: rows at most.
-- Index: the table's primary key. Zero rows: nothing lies behind that row.
SELECT p.row AS row FROM ledger.tenant_page(%(name)s, %(tenant)s, %(after)s::text::jsonb, %(n)s::integer) AS p (row)
