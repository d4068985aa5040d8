-- Opens rows under their derived keys, or finds them open. A retired row that never started becomes pending again, with
-- the facts of its fingerprint: they stand beside it already, unless someone changed them behind the ledger's back.
-- Promises: I1, I2, I3, I15. Parameters: keys, tenants, tasks, digests, deliveries, wakes, agents, destinations, dues,
-- fingerprints, lanes, states, exclusives, run_ats, afters, bases, predecessors, sources, trails, passed, failures,
-- histories: arrays of one length; key_version, tzdata (the zone rules that gave the instants), revived (the moment, as
-- text), made_by.
-- Index: occurrence_pkey (the named target); one_open raises where another row of the lane is open.
-- Fewer rows than asked: those keys exist in another state; read them and compare fingerprints before adopting.
INSERT INTO ledger.occurrence AS o (key, tenant, task, digest, delivery, wake, agent, destination, due, fingerprint,
       key_version, lane, state, exclusive, run_at, after, base, predecessor, source, trail, passed,
       failures, history, tzdata, made_by, created)
SELECT k.key, k.tenant, k.task, k.digest, k.delivery, k.wake, k.agent, k.destination, k.due, k.fingerprint,
       %(key_version)s, k.lane, k.state, k.exclusive, k.run_at, k.after, k.base, k.predecessor, k.source,
       k.trail::jsonb, k.passed::jsonb, k.failures, k.history::jsonb, %(tzdata)s,
       %(made_by)s, now()
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(tasks)b::text[], %(digests)b::bytea[], %(deliveries)b::text[],
              %(wakes)b::text[], %(agents)b::text[], %(destinations)b::text[], %(dues)b::timestamptz[],
              %(fingerprints)b::bytea[], %(lanes)b::text[], %(states)b::text[], %(exclusives)b::boolean[],
              %(run_ats)b::timestamptz[], %(afters)b::timestamptz[], %(bases)b::timestamptz[],
              %(predecessors)b::uuid[], %(sources)b::text[], %(trails)b::text[], %(passed)b::text[],
              %(failures)b::integer[], %(histories)b::text[])
       AS k (key, tenant, task, digest, delivery, wake, agent, destination, due, fingerprint, lane, state, exclusive,
             run_at, after, base, predecessor, source, trail, passed, failures, history)
    ON CONFLICT (key, tenant) DO UPDATE
       SET task = excluded.task, digest = excluded.digest, delivery = excluded.delivery, wake = excluded.wake,
           agent = excluded.agent, destination = excluded.destination, due = excluded.due, lane = excluded.lane,
           state = excluded.state, reason = NULL, run_at = excluded.run_at, after = excluded.after, base = excluded.base,
           predecessor = excluded.predecessor, source = excluded.source, trail = excluded.trail,
           passed = excluded.passed, failures = excluded.failures, tzdata = excluded.tzdata,
           history = coalesce(o.history, '[]') || jsonb_build_object('revived', %(revived)s::text, 'by', excluded.made_by)
     WHERE o.state = 'retired' AND o.started IS NULL AND o.fingerprint = excluded.fingerprint
RETURNING o.key, o.tenant
