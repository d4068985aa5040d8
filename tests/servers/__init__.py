"""How the tests get a real Postgres: one private server for the run, one database for each test."""
