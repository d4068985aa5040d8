"""The moves on a real Postgres: every order of two, an error at every step, random histories, plans."""
