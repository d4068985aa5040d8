"""Python lists as Postgres arrays, in binary: the hot path of every batch.

A statement names the type of each array (`%(keys)b::uuid[]`), so a list is sent without one and the server
reads it as what the statement says; the elements must be of just that type, whole numbers `integer`. That is
twice as fast as finding a type for each list, and a statement stays one prepared statement whatever is null.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from struct import Struct, pack
from types import NoneType
from typing import TypeAlias, cast
from uuid import UUID

from psycopg.abc import Buffer, DumperKey
from psycopg.adapt import Dumper, PyFormat
from psycopg.pq import Format

Elements: TypeAlias = Callable[[Sequence[object]], bytes]

# Dimensions, whether there are nulls, the type of the elements, how many, the first index.
_HEAD = Struct("!iiiii").pack
_SIZE = Struct("!i").pack
_DURATION = Struct("!iqii").pack
_NULL = b"\xff\xff\xff\xff"
_TRUE, _FALSE = b"\x00\x00\x00\x01\x01", b"\x00\x00\x00\x01\x00"
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_DAY_US, _SECOND_US = 86_400_000_000, 1_000_000


class ArrayDumper(Dumper):
    """A list whose first element that is no null says of what type all are."""

    format = Format.BINARY

    def get_key(self, obj: list[object], format: PyFormat) -> DumperKey:  # noqa: ARG002 - psycopg's own
        """One dumper for all lists, another for those without an element."""
        for element in obj:
            if element is not None:
                return self.cls
        return (self.cls, NoneType)

    def upgrade(self, obj: list[object], format: PyFormat) -> Dumper:  # noqa: ARG002 - psycopg's own
        return NothingDumper(self.cls)

    def dump(self, obj: list[object]) -> Buffer:
        first = next(element for element in obj if element is not None)
        kind: type = type(first)
        oid, encode = _TYPES.get(kind) or _kind(kind)
        try:
            nulls, body = 0, encode(obj)
        except (AttributeError, TypeError, struct.error):
            # Nulls among the elements, which the fast way does not look for.
            nulls, body = 1, b"".join([_NULL if each is None else encode((each,)) for each in obj])
        return _HEAD(1, nulls, oid, len(obj), 1) + body


class NothingDumper(Dumper):
    """A list that is empty, or all nulls: as text, since no element says of what type they are."""

    format = Format.TEXT

    def dump(self, obj: list[object]) -> Buffer:
        return b"{" + b",".join([b"NULL"] * len(obj)) + b"}"


def _kind(of: type) -> tuple[int, Elements]:
    """How elements of a subclass are sent: as what they are."""
    for each in of.__mro__:
        if each in _TYPES:
            return _TYPES[each]
    raise TypeError(f"no array of {of.__name__} is sent to the database")


def _texts(elements: Sequence[str]) -> bytes:
    distinct = set(elements)
    if len(distinct) * 2 > len(elements):
        encoded = [each.encode() for each in elements]
        return b"".join([_SIZE(len(each)) + each for each in encoded])
    # Lanes, states, tenants: a claim's lists say few words often. Measured: a third of the time, or less.
    known = {each: _texts((each,)) for each in distinct}
    return b"".join([known[each] for each in elements])


def _bytes(elements: Sequence[bytes]) -> bytes:
    return b"".join([_SIZE(len(each)) + each for each in elements])


def _uuids(elements: Sequence[UUID]) -> bytes:
    size = b"\x00\x00\x00\x10"
    return size + size.join([each.int.to_bytes(16, "big") for each in elements])


def _integers(elements: Sequence[int]) -> bytes:
    pairs = [4] * (2 * len(elements))
    pairs[1::2] = elements
    return pack(f"!{len(pairs)}i", *pairs)


def _booleans(elements: Sequence[bool | None]) -> bytes:
    return b"".join([_NULL if each is None else _TRUE if each else _FALSE for each in elements])


def _instants(elements: Sequence[datetime]) -> bytes:
    pairs = [8] * (2 * len(elements))
    pairs[1::2] = [
        since.days * _DAY_US + since.seconds * _SECOND_US + since.microseconds
        for since in [each - _EPOCH for each in elements]
    ]
    return pack("!" + "iq" * len(elements), *pairs)


def _durations(elements: Sequence[timedelta]) -> bytes:
    return b"".join(
        [_DURATION(16, each.seconds * _SECOND_US + each.microseconds, each.days, 0) for each in elements]
    )


# The types that elements may have, by their number in Postgres's own catalogue.
_TYPES: dict[type, tuple[int, Elements]] = {
    str: (25, cast("Elements", _texts)),
    bytes: (17, cast("Elements", _bytes)),
    UUID: (2950, cast("Elements", _uuids)),
    int: (23, cast("Elements", _integers)),
    bool: (16, cast("Elements", _booleans)),
    datetime: (1184, cast("Elements", _instants)),
    timedelta: (1186, cast("Elements", _durations)),
}
