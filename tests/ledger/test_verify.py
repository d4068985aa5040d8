"""Every row bears the key of its facts (I1): the package and the database, each on its own, find the same."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from conformance.entries import FOLDER, read_folder
from ledger.facts import read_facts
from ledger.keys import derive
from ledger.verifying import verify_all
from tests.commanding import Shell

_DERIVE = """SELECT f.fingerprint, ledger.key_of(f.fingerprint, %(due)s::timestamptz) FROM
    (SELECT ledger.fingerprint_of(%(tenant)s, %(delivery)s, %(wake)s, %(agent)s, %(destination)s, %(task)s,
                                  decode(%(digest)s, 'hex'), %(due)s::timestamptz) AS fingerprint) f"""
_NAMES = ("tenant", "delivery", "wake", "agent", "destination", "task", "digest", "due")


_INSERT = sql.SQL(
    """INSERT INTO ledger.{} (key, tenant, delivery, wake, agent, destination, task, digest, due, fingerprint,
        key_version, lane, state, reason, exclusive, run_at, made_by, created)
    VALUES (%s, %s, %s, %s, %s, %s, %s, decode(%s, 'hex'), %s, %s,
        1, 'series', 'retired', 'edit', false, now(), 'test', now())"""
)


def in_sql(connection: psycopg.Connection, preimage: str) -> tuple[bytes, UUID]:
    """The fingerprint and the key that the database derives from canonical facts."""
    facts = dict(zip(_NAMES, json.loads(preimage)[1:], strict=True))
    ((fingerprint, key),) = connection.execute(_DERIVE, facts).fetchall()
    return fingerprint, key


def test_the_database_derives_every_key_of_the_vectors(dsn: str) -> None:
    answers = [entry.answer for entry in read_folder(FOLDER) if entry.op == "key" and not entry.refusal]
    sizes = [len(str(answer["preimage"])) for answer in answers]
    assert max(sizes) > 1024, "no vector is longer than one chunk"
    with psycopg.connect(dsn) as connection:
        # Whatever the session is used to: neither zone nor notation may count (I9).
        connection.execute("SET TimeZone = 'Asia/Kathmandu'")
        connection.execute("SET DateStyle = 'German'")
        for answer in answers:
            fingerprint, key = in_sql(connection, str(answer["preimage"]))
            assert (fingerprint.hex(), str(key)) == (answer["fingerprint"], answer["key"])


def test_the_database_derives_keys_of_every_length(dsn: str) -> None:
    """Blocks of 64 bytes and chunks of 1,024 end everywhere."""
    with psycopg.connect(dsn) as connection:
        for size in range(1, 800, 7):
            facts = {
                "tenant": "t" * min(size, 200),
                "delivery": "python",
                "wake": f"w:{'q' * max(1, min(size - 200, 200))}",
                "agent": "a" * max(1, min(size - 400, 200)),
                "destination": "x:y",
                "task": "k" * max(1, min(size - 600, 200)),
                "digest": f"{size:064x}",
                "due": f"2026-11-30T09:00:00.{size:06}Z",
            }
            derived = derive(read_facts(facts))
            assert in_sql(connection, derived.preimage) == (derived.fingerprint, derived.key)


def test_the_ledger_s_own_rows_are_named(dsn: str) -> None:
    shell = Shell(dsn)
    for number in range(30):
        shell.does("task", "add", f"task-{number}", "--every", "1h", "--entrypoint", f"work-{number}")
    shell.does("run-now", "task-3", "--request", "once")
    for options in ((), ("--in-database",)):
        assert shell.does("verify", *options).out == "31 rows, and each bears the key of its facts\n"
        told = shell.does("verify", "--json", *options).json
        assert told == {"rows": 31, "misnamed": [], "by": "database" if options else "package"}


@pytest.mark.parametrize(
    "change",
    [
        "task = 'another'",
        "agent = 'someone'",
        "due = due + interval '1 microsecond'",
        "due = due + interval '1 hour'",
        "fingerprint = set_byte(fingerprint, 31, get_byte(fingerprint, 31) # 1)",
        "digest = set_byte(digest, 0, get_byte(digest, 0) # 1)",
        "key = 'ffffffff-ffff-8fff-bfff-ffffffffffff'",
        "wake = 'Schedule'",
        "tenant = 'Zoë'",
        "destination = repeat('x', 3000)",
        "key_version = 2",
    ],
)
def test_a_row_that_somebody_changed_is_found_by_both(dsn: str, change: str) -> None:
    shell = Shell(dsn)
    for number in range(5):
        shell.does("task", "add", f"task-{number}", "--every", "1h", "--entrypoint", f"work-{number}")
    with psycopg.connect(dsn) as connection:
        statement = sql.SQL(
            "UPDATE ledger.occurrence SET {} WHERE task = 'task-2' RETURNING tenant, task, key"
        )
        ((tenant, task, key),) = connection.execute(statement.format(sql.SQL(change))).fetchall()
    for options in ((), ("--in-database",)):
        said = shell("verify", "--json", *options)
        assert said.code == 1
        assert said.json["misnamed"] == [{"tenant": tenant, "task": task, "key": str(key)}]
        assert said.json["rows"] == 5
        text = shell("verify", *options)
        assert text.code == 1
        assert str(key) in text.out
        assert "1 of 5 rows do not bear the key of their facts" in text.out


def test_pages_miss_no_row_and_reach_the_archive(dsn: str) -> None:
    """More rows than a page, a third of them archived, one of each misnamed; in one process and in two."""
    rng = random.Random(5)
    rows = []
    for number in range(1300):
        facts = read_facts(
            {
                "tenant": f"tenant-{rng.randrange(3)}",
                "delivery": "python",
                "wake": "schedule",
                "agent": "default",
                "destination": "local:default",
                "task": f"task-{number}",
                "digest": f"{number:064x}",
                "due": datetime.fromtimestamp(rng.randrange(2 * 10**9), UTC).isoformat(),
            }
        )
        derived = derive(facts)
        rows.append((derived.key, facts, derived.fingerprint))
    with psycopg.connect(dsn) as connection:
        for number, (key, facts, fingerprint) in enumerate(rows):
            table = "archive" if number % 3 == 0 else "occurrence"
            kept = bytes(32) if number in (600, 601) else fingerprint
            connection.execute(
                _INSERT.format(sql.Identifier(table)), [key, *(getattr(facts, name) for name in _NAMES), kept]
            )
    wrong = sorted((str(rows[number][0]), rows[number][1].task) for number in (600, 601))
    for options in ((), ("--in-database",)):
        told = Shell(dsn)("verify", "--json", *options).json
        assert told["rows"] == 1300
        found = told["misnamed"]
        assert isinstance(found, list)
        assert sorted((row["key"], row["task"]) for row in found) == wrong
        heard: list[tuple[int, int]] = []
        apart = verify_all(
            dsn,
            in_database=bool(options),
            jobs=2,
            told=lambda done, of: heard.append((done, of)),  # noqa: B023 - called within this round
            part=300,
        )
        assert apart.rows == 1300
        assert sorted((str(row.key), row.task) for row in apart.misnamed) == wrong
        assert heard == [(n, 5) for n in range(1, 6)]


def test_parts_hold_every_row_once(dsn: str) -> None:
    """A row under the last key that can be written is judged as well, and those at which parts meet once."""
    shell = Shell(dsn)
    for number in range(12):
        shell.does("task", "add", f"task-{number}", "--every", "1h", "--entrypoint", f"work-{number}")
    with psycopg.connect(dsn) as connection:
        connection.execute(
            "UPDATE ledger.occurrence SET key = 'ffffffff-ffff-ffff-ffff-ffffffffffff' WHERE task = 'task-3'"
        )
    heard: list[tuple[int, int]] = []
    for part in (1, 2, 3, 5, 11, 12, 13):
        found = verify_all(
            dsn, in_database=False, jobs=1, told=lambda done, of: heard.append((done, of)), part=part
        )
        assert (found.rows, [row.task for row in found.misnamed]) == (12, ["task-3"]), part
