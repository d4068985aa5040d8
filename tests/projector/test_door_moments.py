"""What the door says of an instant, or of a hint's end, that is none."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from ledger.errors import BadInput
from projector.door import read_moment, reading_hint

LATEST = datetime.max.replace(tzinfo=timezone(timedelta(hours=-5)))


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (None, "until: null is no instant; give an aware datetime, or text with an offset"),
        (5, "until: 5 is no instant"),
        (datetime(2027, 1, 1), "until: 2027-01-01 00:00:00 has no zone"),  # noqa: DTZ001 - what is refused
        (LATEST, "until: 9999-12-31 23:59:59.999999-05:00 lies outside the years 1 to 9999 in UTC"),
    ],
)
def test_what_is_no_instant(moment: object, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_moment(moment, "until")
    assert str(refused.value).startswith(said)


def test_a_hint_must_say_when_it_ends() -> None:
    with pytest.raises(BadInput, match="expires: say when the hint ends: a duration, such as '4h', or an"):
        reading_hint("1h", None, None)
