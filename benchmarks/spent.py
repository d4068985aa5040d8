"""What was computed: seconds of the dispatcher and of each session of the server, by the system's books."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import psycopg

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds computed, by who."""

    by: dict[str, float]

    def table(self) -> str:
        return "\n".join(
            f"  {seconds:>8.2f} s  {who}" for who, seconds in sorted(self.by.items(), key=lambda one: -one[1])
        )


def spent_by(watch: psycopg.Connection[tuple[object, ...]], pid: int) -> Spent:
    """What the dispatcher `pid` and the sessions of its database have computed since each of them began."""
    asked = """SELECT pid, coalesce(nullif(application_name, ''), backend_type)
                 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"""
    by = {"dispatcher: Python": computed(pid)}
    for backend, who in watch.execute(asked).fetchall():
        assert isinstance(backend, int)
        name = f"server: {who}"
        by[name] = by.get(name, 0.0) + computed(backend)
    return Spent(by)


def computed(pid: int) -> float:
    """Seconds that a process has computed; 0 where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICK
