"""Moves that know the repeat rule: they open a series, start a run, project its successor."""
