"""The only door of croniter: it reads the fields of an expression once, on naive wall-clock terms.

croniter is handed the normal form that the project's grammar made, never a text of a person's, a zone
or an instant, and is asked for nothing but which numbers each field holds. Two readers then have to
agree: a release of croniter that reads a stored text otherwise is stopped here, loudly, before it moves
a slot (I20).
"""

from __future__ import annotations

from importlib.metadata import version

from croniter import CroniterError, croniter

from ledger.authored.cron import CronText
from ledger.errors import Misconfigured

_FULL = (
    tuple(range(60)),
    tuple(range(24)),
    tuple(range(1, 32)),
    tuple(range(1, 13)),
    tuple(range(7)),
    tuple(range(60)),
)


def check_fields(cron: CronText) -> None:
    """Have croniter read the text's normal form; raises Misconfigured if it reads it otherwise than we do."""
    own: list[tuple[int, ...]] = [
        cron.minutes,
        cron.hours,
        tuple(sorted(cron.days.days)),
        cron.months,
        tuple(sorted(cron.days.weekdays)),
    ]
    if cron.has_seconds:
        own.append(cron.seconds)
    try:
        theirs = read_fields(cron.normal)
    except (CroniterError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise Misconfigured(f"croniter {version('croniter')} refuses {cron.normal!r}: {error}") from error
    for ours, other in zip(own, theirs, strict=True):
        # A day field of L, W or # alone has no plain members; those items are this project's own.
        if ours and ours != other:
            raise Misconfigured(
                f"croniter {version('croniter')} reads {cron.normal!r} as {other}, where the dialect"
                f" says {ours}; install the release that is pinned"
            )


def read_fields(normal: str) -> list[tuple[int, ...]]:
    """croniter's reading of an expression: for each field the numbers it holds, ascending, Sunday 0."""
    expanded, _ = croniter.expand(normal)
    return [
        _FULL[n] if "*" in field else tuple(sorted({int(member) for member in field}))
        for n, field in enumerate(expanded)
    ]
