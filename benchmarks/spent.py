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
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / _TICK if fields else 0.0


def server_of(watch: psycopg.Connection[tuple[object, ...]]) -> int:
    """The process id of the server that a session is of, which is on this machine."""
    return int(_stat(watch.info.backend_pid)[1])


def server_computed(server: int) -> float:
    """Seconds that a server has computed, with all its processes, those included that have ended."""
    total = 0.0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (fields := _stat(int(entry.name))):
            if int(entry.name) == server:
                total += sum(map(int, fields[11:15])) / _TICK
            elif int(fields[1]) == server:
                total += sum(map(int, fields[11:13])) / _TICK
    return total


def memory_mib(pid: int) -> float:
    """The memory that a process has resident."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def _stat(pid: int) -> list[str]:
    """A process's line in the system's books, from its state on; empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
