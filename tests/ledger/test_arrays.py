"""Lists sent as binary arrays come back as they were, nulls and all; what cannot be sent is said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.driver.connect import Cursor, SyncConnection, connect
from tests.servers.databases import Databases

# What hypothesis takes as bounds is naive; it adds the zone itself.
_FIRST, _LAST = datetime.fromisoformat("0001-01-02"), datetime.fromisoformat("9999-12-30")

ELEMENTS = {
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    "bytea": st.binary(),
    "uuid": st.uuids(),
    "integer": st.integers(-(2**31), 2**31 - 1),
    "boolean": st.booleans(),
    "timestamptz": st.datetimes(_FIRST, _LAST, timezones=st.just(UTC)),
    "interval": st.timedeltas(timedelta(days=-100_000), timedelta(days=100_000)),
}


@pytest.fixture(scope="module")
def connection(databases: Databases) -> Iterator[SyncConnection]:
    name = databases.clone()
    opened = connect(databases.dsn(name))
    yield opened
    opened.close()
    databases.drop(name)


def there_and_back(connection: SyncConnection, kind: str, elements: list[object]) -> list[object]:
    cursor = Cursor(connection)
    asked = f"SELECT k.it FROM unnest(%(them)b::{kind}[]) AS k (it)"  # noqa: S608 - a type out of the table above
    cursor.execute(asked.encode(), {"them": elements})
    return [row[0] for row in cursor.fetchall()]


@pytest.mark.parametrize("kind", sorted(ELEMENTS))
@given(data=st.data())
def test_elements_and_nulls_come_back(kind: str, connection: SyncConnection, data: st.DataObject) -> None:
    elements = data.draw(st.lists(st.one_of(st.none(), ELEMENTS[kind]), max_size=20))
    assert there_and_back(connection, kind, elements) == elements


@pytest.mark.parametrize("elements", [[], [None], [None] * 500])
@pytest.mark.parametrize("kind", sorted(ELEMENTS))
def test_a_list_without_an_element_takes_the_type_of_the_statement(
    kind: str, elements: list[object], connection: SyncConnection
) -> None:
    assert there_and_back(connection, kind, elements) == elements


def test_a_subclass_is_sent_as_what_it_is(connection: SyncConnection) -> None:
    class Name(str):
        __slots__ = ()

    class Moment(datetime):
        pass

    assert there_and_back(connection, "text", [Name("é"), "b"]) == ["é", "b"]
    moment = Moment(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert there_and_back(connection, "timestamptz", [moment]) == [moment]


def test_one_statement_stays_one_prepared_statement(connection: SyncConnection) -> None:
    for elements in ([uuid4()], [None], [], [None, uuid4()], *([[uuid4()]] * 10)):
        there_and_back(connection, "uuid", elements)
    prepared = connection.execute(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%unnest($1::uuid[])%%'"
    )
    assert prepared.fetchone() == (1,)


def test_what_cannot_be_sent_is_said(connection: SyncConnection) -> None:
    with pytest.raises(TypeError, match="no array of complex"):
        there_and_back(connection, "text", [1j])
    with pytest.raises((TypeError, AttributeError)):
        there_and_back(connection, "uuid", [UUID(int=1), "not a uuid"])


def test_another_type_than_the_statement_names_is_refused(connection: SyncConnection) -> None:
    with pytest.raises(psycopg.errors.DatatypeMismatch, match="expected"):
        there_and_back(connection, "bigint", [1])
    with pytest.raises(psycopg.errors.DatatypeMismatch, match="expected"):
        there_and_back(connection, "uuid", ["x"])
