"""A zone that does not exist is refused with the names that are most like it."""

from __future__ import annotations

import pytest

from ledger.authored.fold import fold
from ledger.errors import TaskRefused


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("Calcuta", "Asia/Calcutta"),
        ("utc", "UTC"),
        ("GMT+2", "Etc/GMT+2"),
        ("US/Eastren", "US/Eastern"),
        ("America/Buenos_Aires ", "America/Buenos_Aires"),
    ],
)
def test_an_unknown_zone_is_told_the_nearest_names(written: str, meant: str) -> None:
    """By the whole name, or by the city alone; three at most."""
    with pytest.raises(TaskRefused) as refused:
        fold({"entrypoint": "x", "schedule": {"every_s": 60, "timezone": written}})
    assert f"did you mean {meant!r}" in str(refused.value)
    assert str(refused.value).count(" or ") <= 2
    with pytest.raises(TaskRefused, match="write one such as"):
        fold({"entrypoint": "x", "schedule": {"every_s": 60, "timezone": "x" * 10_000}})
