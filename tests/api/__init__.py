"""The Python API on a real Postgres: one suite for its sync and its async face."""
