-- Deletes a page of what a tenant has in a table, in the order of the table's primary key.
-- Parameters: name, tenant; after: the row before, as JSON, null for the first page; n: rows at most.
-- Index: the table's primary key. One row: how many are gone, and the key of the last; null: the table has no more.
SELECT p.gone, p.last FROM ledger.drop_tenant_page(%(name)s, %(tenant)s, %(after)s::text::jsonb, %(n)s::integer) AS p
