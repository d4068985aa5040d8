"""`claim_once`: one line by which a handler's effect happens once, however often its run is delivered.

The claim is a row written in the handler's own transaction, beside the effect: both are there, or neither.
"""

from __future__ import annotations

from uuid import UUID

from ledger.driver.callers import AsyncWithin, Within
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.facts import shown
from ledger.moves.once import claim_once as claim

_SCOPE = Scope("tenant")
# An effect's name is a part of a primary key.
EFFECT_MOST = 200


def claim_once(connection: object, key: UUID | str, effect: str = "") -> bool:
    """True where the transaction that a psycopg connection is in is the one that may have the effect.

    True once for a key and the name of an effect, whoever asks; another transaction that asks at the same
    time waits, and is told False if this one commits. A transaction that is rolled back has claimed nothing.
    A retry is an occurrence of its own, with a key of its own.

    Raises `NotFound` for a key that the ledger does not have, `BadInput` where no transaction is open that
    the effect could be in, `Busy` where another one's did not end in time.
    """
    within = Within(connection)
    within.need_transaction("claim_once")
    return within.run(claim(_key(key), _effect(effect)), _SCOPE)


async def aclaim_once(connection: object, key: UUID | str, effect: str = "") -> bool:
    """`claim_once` for a psycopg `AsyncConnection`."""
    within = AsyncWithin(connection)
    within.need_transaction("aclaim_once")
    return await within.run(claim(_key(key), _effect(effect)), _SCOPE)


def _key(key: object) -> UUID:
    try:
        return key if isinstance(key, UUID) else UUID(str(key))
    except ValueError as error:
        raise BadInput(f"claiming an effect: {shown(key)} is no key of an occurrence") from error


def _effect(effect: str) -> str:
    if len(effect) > EFFECT_MOST or "\x00" in effect:
        raise BadInput(f"claiming an effect: its name is a text of at most {EFFECT_MOST} characters")
    return effect
