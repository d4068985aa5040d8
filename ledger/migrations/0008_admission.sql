-- Limits of tenants: who set them and when; whoever starts a run counts it, and holds the limits while it decides.

ALTER TABLE ledger.tenant_limit
    ADD COLUMN at timestamptz,
    ADD COLUMN by text COLLATE "C";
COMMENT ON COLUMN ledger.tenant_limit.at IS 'When a person last changed it; `by` says who.';
COMMENT ON TABLE ledger.usage IS 'Starts in a month of UTC, retries apart: counted only for tenants with a quota.';

GRANT INSERT, UPDATE ON ledger.tenant_limit, ledger.usage TO ledger_tenant;
