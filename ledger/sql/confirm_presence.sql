-- Says that an incarnation holds its presence: from now on its absence may be concluded.
-- Parameters: id. Index: incarnation_pkey. Zero rows: it has ended meanwhile; register anew.
UPDATE ledger.incarnation i SET held = true, absent_since = NULL
 WHERE i.id = %(id)s::integer AND i.ended IS NULL
RETURNING i.id
