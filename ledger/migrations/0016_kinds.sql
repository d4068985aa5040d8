-- Which kinds of delivery a dispatcher serves, as its heartbeat says: so rows of a kind that nobody serves are seen.
ALTER TABLE ledger.dispatcher ADD COLUMN deliveries text[] COLLATE "C" NOT NULL DEFAULT '{}';
