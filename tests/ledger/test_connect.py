"""Instants come as UTC whatever zone a session has (I9): by psycopg's own loader in one that is in UTC,
by the project's in all others.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ledger.driver.connect import Cursor, SyncConnection, aconnect, connect

INSTANTS = [
    datetime(1800, 1, 1, tzinfo=UTC),
    datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2026, 10, 25, 0, 30, 0, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
]


def read(connection: SyncConnection) -> list[object]:
    cursor = Cursor(connection)
    cursor.execute("SELECT i FROM unnest(%(instants)b::timestamptz[]) i ORDER BY i", {"instants": INSTANTS})
    return [instant for (instant,) in cursor.fetchall()]


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC", "Asia/Tokyo", "Europe/Zurich", "America/New_York"])
def test_instants_are_utc_whatever_the_zone_of_the_session(dsn: str, zone: str) -> None:
    with connect(dsn) as connection:
        assert connection.info.parameter_status("TimeZone") == "UTC"
        connection.execute("SELECT set_config('TimeZone', %s, false)", (zone,))
        found = read(connection)
    assert found == INSTANTS
    assert {instant.tzinfo for instant in found if isinstance(instant, datetime)} == {UTC}


async def test_sessions_for_asyncio_are_in_utc(dsn: str) -> None:
    connection = await aconnect(dsn)
    assert connection.info.parameter_status("TimeZone") == "UTC"
    await connection.close()
