"""The projector owns the repeat rule: slots, the Governor, and the moves that open what comes next.

The names below are for programs. Each is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from projector.utc_crons import UtcCron, interval_utc_cron, weekly_utc_crons

__all__ = ["UtcCron", "interval_utc_cron", "weekly_utc_crons"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'projector' has no attribute {name!r}")
        from projector import utc_crons  # noqa: PLC0415 - loaded when first used

        return getattr(utc_crons, name)
