-- Describes what guards the book, a line for each thing: tables with their row security, columns, indexes, constraints,
-- triggers, policies, functions, privileges of the ledger's roles. What versions of Postgres spell differently is left
-- out: constraints for NOT NULL (columns say it) and what an owner may do with its own. Partitions are as their parent.
-- Promises: I2 to I5, I8, I13. No parameters. Zero rows: there is no such schema.
WITH relation AS (
    SELECT c.oid, c.relname::text AS name, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relacl, c.relowner
      FROM pg_catalog.pg_class c
     WHERE c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = 'ledger')
       AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
), routine AS (
    SELECT p.oid, p.proname::text AS name, p.prosecdef, p.prosrc, p.proacl, p.proowner, p.proconfig
      FROM pg_catalog.pg_proc p
     WHERE p.pronamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = 'ledger')
), granted AS (
    SELECT 'table ' || r.name AS what, a.grantee, a.privilege_type, r.relowner AS owner
      FROM relation r CROSS JOIN LATERAL aclexplode(r.relacl) a
    UNION ALL
    SELECT 'column ' || r.name || '.' || a.attname, e.grantee, e.privilege_type, r.relowner
      FROM relation r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid CROSS JOIN LATERAL aclexplode(a.attacl) e
    UNION ALL
    SELECT 'function ' || f.name, a.grantee, a.privilege_type, f.proowner
      FROM routine f CROSS JOIN LATERAL aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
    UNION ALL
    SELECT 'schema ledger', a.grantee, a.privilege_type, n.nspowner
      FROM pg_catalog.pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a WHERE n.nspname = 'ledger'
)
SELECT format('table %%s row security %%s%%s', r.name, CASE WHEN r.relrowsecurity THEN 'on' ELSE 'off' END,
              CASE WHEN r.relforcerowsecurity THEN ', forced' ELSE '' END) AS line FROM relation r
UNION ALL
SELECT format('column %%s.%%s %%s%%s%%s', r.name, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
              CASE WHEN a.attnotnull THEN ' not null' ELSE '' END,
              CASE WHEN a.attcollation <> 0 THEN ' ' || (SELECT quote_ident(l.collname) FROM pg_catalog.pg_collation l
                                                          WHERE l.oid = a.attcollation) ELSE '' END)
  FROM relation r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT format('index %%s%%s', pg_catalog.pg_get_indexdef(i.indexrelid),
              CASE WHEN i.indisvalid AND i.indisready AND i.indislive THEN '' ELSE ' (not valid)' END)
  FROM relation r JOIN pg_catalog.pg_index i ON i.indrelid = r.oid
UNION ALL
SELECT format('constraint %%s on %%s: %%s%%s', k.conname, r.name, pg_catalog.pg_get_constraintdef(k.oid),
              CASE WHEN k.convalidated THEN '' ELSE ' (not validated)' END)
  FROM relation r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid AND k.contype IN ('c', 'p', 'u', 'f', 'x')
UNION ALL
SELECT format('trigger %%s%%s', pg_catalog.pg_get_triggerdef(t.oid),
              CASE t.tgenabled WHEN 'O' THEN '' ELSE ' (enabled ' || t.tgenabled::text || ')' END)
  FROM relation r JOIN pg_catalog.pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
UNION ALL
SELECT format('policy %%s on %%s for %%s to %%s %%s using %%s with check %%s', p.polname, r.name, p.polcmd,
              (SELECT string_agg(coalesce(o.rolname, 'public'), ', ' ORDER BY o.rolname COLLATE "C")
                 FROM unnest(p.polroles) g (oid) LEFT JOIN pg_catalog.pg_roles o ON o.oid = g.oid),
              CASE WHEN p.polpermissive THEN '' ELSE '(restrictive) ' END,
              coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'nothing'),
              coalesce(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), 'nothing'))
  FROM relation r JOIN pg_catalog.pg_policy p ON p.polrelid = r.oid
UNION ALL
SELECT format('function %%s(%%s)%%s%%s %%s', f.name, pg_catalog.pg_get_function_identity_arguments(f.oid),
              CASE WHEN f.prosecdef THEN ' of its owner''s rights' ELSE '' END,
              coalesce(' with ' || array_to_string(f.proconfig, ', '), ''), md5(f.prosrc))
  FROM routine f
UNION ALL
SELECT format('rule %%s on %%s', w.rulename, r.name) FROM relation r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid
UNION ALL
SELECT format('%%s may %%s %%s', coalesce(o.rolname, 'everybody'), g.privilege_type, g.what)
  FROM granted g LEFT JOIN pg_catalog.pg_roles o ON o.oid = g.grantee
 WHERE g.grantee <> g.owner AND (g.grantee = 0 OR o.rolname LIKE 'ledger\_%%')
