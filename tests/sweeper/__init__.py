"""The sweep and health, on a real Postgres that is broken by hand."""
