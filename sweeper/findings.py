"""What the doctor makes of what it read: pure judgement, one function a subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple, TypeAlias

from ledger.release import Release, newer
from ledger.statements.server import ServerFacts, ServerSetting
from ledger.statements.sweep import Settings

Word: TypeAlias = Literal["good", "advice", "bad"]

OLDEST, NEWEST = 15, 18
# Clocks so far apart want a look; so far apart fail every pass of the sweep.
APART, APART_MOST = timedelta(seconds=1), timedelta(seconds=5)
ROLES = ("ledger_dispatcher", "ledger_reader", "ledger_sweeper", "ledger_tenant")
# What must be so, or a run that was told as started may be forgotten; and what that would mean.
_KEPT = {
    "fsync": "a crash of the machine may lose what was committed",
    "full_page_writes": "a crash of the machine may leave torn pages",
    "synchronous_commit": "a crash of the server may forget starts that were handed over, and run them again",
    "autovacuum": "dead rows are never cleared away, and every claim gets slower",
    "track_counts": "autovacuum does not know what to do",
}
SETTINGS = (*_KEPT, "max_connections", "autovacuum_naptime", "server_encoding", "shared_buffers")
_HOT = "fillfactor=80"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the page: `bad` must be changed, `advice` may be; `do` says how."""

    subject: str
    word: Word
    says: str
    do: str = ""


class Examined(NamedTuple):
    """What was read. `apart`: how far the clocks of database and process lie apart, at least."""

    server: ServerFacts
    settings: Sequence[ServerSetting]
    applied: Sequence[str]
    known: Sequence[str]
    in_force: Settings | None
    own: Release
    # By package: the version that is installed, and the one that this release is pinned to.
    pins: Mapping[str, tuple[str, str]]
    differences: Sequence[str]
    direct: bool
    apart: timedelta


def judge(seen: Examined) -> list[Finding]:
    """The whole page, in the order in which things are mended."""
    return [
        _version(seen.server),
        *_settings(seen),
        _migrations(seen),
        _release(seen),
        _guards(seen),
        *_pins(seen),
        _roles(seen.server),
        _sessions(seen.server),
        _pooler(seen),
        _clocks(seen),
        _hot_table(seen.server),
    ]


def unprepared(why: str) -> Finding:
    """Where nothing can be read as the ledger's own roles, all else waits for that."""
    do = "run `ledger migrate` as the owner of the database; then GRANT the login what it does (README)"
    return Finding("migrations", "bad", why, do)


def _version(server: ServerFacts) -> Finding:
    major = server.version // 10_000
    said = f"Postgres {major}.{server.version % 10_000}"
    if server.standby:
        return Finding("server", "bad", f"{said}, a standby: it can be read alone", "connect to the primary")
    if major < OLDEST:
        return Finding("server", "bad", said, f"upgrade to {OLDEST} at least")
    if major > NEWEST:
        return Finding("server", "advice", f"{said}: this release was tried on {OLDEST} to {NEWEST}")
    return Finding("server", "good", said)


def _settings(seen: Examined) -> list[Finding]:
    values = {one.name: one.value for one in seen.settings}
    found = [
        Finding("settings", "bad", f"{name} is off: {means}", f"ALTER SYSTEM SET {name} = on")
        for name, means in _KEPT.items()
        if values.get(name) == "off"
    ]
    if values.get("server_encoding") != "UTF8":
        said = f"the database's encoding is {values.get('server_encoding')}"
        found.append(Finding("settings", "bad", said, "make the database anew with ENCODING 'UTF8'"))
    most = int(values.get("max_connections", "0"))
    if most and seen.server.connections > most * 4 // 5:
        said = f"{seen.server.connections} of {most} connections are taken"
        found.append(Finding("settings", "advice", said, "raise max_connections, or run fewer processes"))
    if int(values.get("autovacuum_naptime", "60")) > 60:
        said = f"autovacuum looks every {values['autovacuum_naptime']} s"
        found.append(Finding("settings", "advice", said, "ALTER SYSTEM SET autovacuum_naptime = '15s'"))
    if int(values.get("shared_buffers", "16384")) < 16_384:
        said = "shared_buffers is less than 128 MB"
        do = "a quarter of the machine's memory is usual"
        found.append(Finding("settings", "advice", said, do))
    waiting = [one.name for one in seen.settings if one.pending_restart]
    if waiting:
        said = f"{', '.join(waiting)} will be in force after a restart"
        found.append(Finding("settings", "advice", said, "restart the server"))
    return found or [Finding("settings", "good", f"{len(values)} looked at: {', '.join(sorted(values))}")]


def _migrations(seen: Examined) -> Finding:
    missing = [name for name in seen.known if name not in seen.applied]
    strange = [name for name in seen.applied if name not in seen.known]
    if strange:
        said = f"{', '.join(strange)}: of a later release than this one"
        return Finding("migrations", "bad", said, "upgrade the package")
    if missing:
        said = f"{len(missing)} are missing: {', '.join(missing)}"
        return Finding("migrations", "bad", said, "run `ledger migrate` as the owner of the database")
    return Finding("migrations", "good", f"all {len(seen.known)} are applied")


def _release(seen: Examined) -> Finding:
    force, own = seen.in_force, seen.own
    if force is None:
        return Finding("release", "bad", "the database says of no release", "run `ledger migrate`")
    numbers = (force.key_version, force.digest_version, force.dialect)
    if numbers != own[:3]:
        said = f"keys, digests and dialect in force are {numbers}, this package has {tuple(own[:3])}"
        return Finding(
            "release", "bad", said, "install the release that is in force; this one starts nothing"
        )
    if force.zones_from is not None:
        said = f"rows are being moved from tzdata {force.zones_from} to {force.tzdata}"
        return Finding("release", "advice", said, "where nobody is at it, run `ledger migrate zones` again")
    if force.tzdata == own.tzdata:
        return Finding("release", "good", f"in force, with the zone rules of tzdata {own.tzdata}")
    said = f"the zone rules in force are those of tzdata {force.tzdata}, this package has {own.tzdata}"
    if newer(own.tzdata, force.tzdata):
        return Finding("release", "bad", said, "look with `ledger doctor zones`, then `ledger migrate zones`")
    return Finding("release", "bad", said, "install this package with the newer tzdata")


def _guards(seen: Examined) -> Finding:
    if not seen.differences:
        said = "indexes, constraints, triggers and privileges are as the migrations made them"
        return Finding("guards", "good", said)
    said = f"{len(seen.differences)} differ from what the migrations made: {seen.differences[0]}"
    return Finding("guards", "bad", said, "`ledger sweep` lists them all; put each back as the owner")


def _pins(seen: Examined) -> list[Finding]:
    wrong = [
        Finding(
            "packages",
            "bad",
            f"{name} {installed} is installed: the same text may mean other slots than with {pinned}",
            f"pip install {name}=={pinned}",
        )
        for name, (installed, pinned) in sorted(seen.pins.items())
        if installed != pinned
    ]
    said = ", ".join(f"{name} {installed}" for name, (installed, _) in sorted(seen.pins.items()))
    return wrong or [Finding("packages", "good", f"{said}, as pinned")]


def _roles(server: ServerFacts) -> Finding:
    said = f"login {server.login!r} may be {', '.join(server.may_be) or 'none of the four'}"
    if server.superuser:
        do = "give each process a login of its own with what it does; this one can pass by every wall"
        return Finding("roles", "advice", f"login {server.login!r} is a superuser", do)
    missing = [role for role in ROLES if role not in server.may_be]
    if "ledger_tenant" in server.may_be and len(missing) < len(ROLES) - 1:
        do = "the login of an application needs ledger_tenant alone"
        return Finding("roles", "advice", said, do)
    return Finding("roles", "good", said)


def _sessions(server: ServerFacts) -> Finding:
    if server.sees_sessions:
        return Finding("sessions", "good", "health sees the snapshots of all sessions")
    said = "health cannot see who holds an old snapshot"
    return Finding("sessions", "advice", said, "GRANT pg_read_all_stats TO ledger_reader")


def _pooler(seen: Examined) -> Finding:
    if seen.direct:
        return Finding("pooler", "good", "this connection leads to a server process of its own")
    said = "a transaction pooler stands before the server: presence cannot be held through it"
    do = "give `ledger run` a direct DSN; else runs of a dead process wait for their deadlines"
    return Finding("pooler", "advice", said, do)


def _clocks(seen: Examined) -> Finding:
    said = f"database and this machine are {max(0.0, seen.apart.total_seconds()):.1f} s apart"
    if seen.apart > APART_MOST:
        return Finding("clocks", "bad", said, "set both by NTP; every pass of the sweep fails meanwhile")
    if seen.apart > APART:
        return Finding("clocks", "advice", said, "set both by NTP; runs go by the database's alone")
    return Finding("clocks", "good", said)


def _hot_table(server: ServerFacts) -> Finding:
    options = (server.hot_table or "").split(",")
    if "autovacuum_enabled=false" in options:
        do = "ALTER TABLE ledger.occurrence RESET (autovacuum_enabled)"
        return Finding("autovacuum", "bad", "it is off for the hot table, ledger.occurrence", do)
    if _HOT not in options or not any(one.startswith("autovacuum_vacuum_scale_factor=") for one in options):
        do = (
            "ALTER TABLE ledger.occurrence SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, "
            "autovacuum_vacuum_cost_delay = 0)"
        )
        return Finding("autovacuum", "advice", "the hot table is not tuned as the migrations made it", do)
    return Finding("autovacuum", "good", f"tuned for the hot table: {server.hot_table}")
