"""I18: why a task ran or did not run in a minute, through the API; the oracle's test has every kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ledger import BadInput, NotFound
from projector.moves.why_not import WhyNot
from tests.api.conftest import Face, done

Ask = Callable[..., list[tuple[object, ...]]]
EVERY_MINUTE = {"entrypoint": "work", "schedule": {"every_s": 60}, "delivery": "pull"}


def words(answer: WhyNot) -> Sequence[str]:
    return [one.word for one in answer.answers]


async def test_what_ran_what_is_to_come_and_what_was_before(acme: Face, eye: Ask) -> None:
    defined = await done(acme.define("a", EVERY_MINUTE))
    request = await done(acme.run_now("a", "r1"))
    await done(acme.start(request.key))
    await done(acme.finish(request.key, "failed", error="no paper"))
    told = await done(acme.why_not("a", request.due))
    assert told.ran
    (ran,) = [one for one in told.answers if one.key == request.key]
    assert (ran.word, ran.wake, ran.state) == ("ran", "manual:r1", "failed")
    assert ran.says.endswith("failed: no paper")
    (first,) = (await done(acme.why_not("a", defined.next))).answers
    assert (first.word, first.key, first.at) == ("not yet", defined.key, defined.next)
    (later,) = (await done(acme.why_not("a", defined.next + timedelta(days=400)))).answers
    assert (later.word, later.key) == ("not yet", defined.key)
    assert words(await done(acme.why_not("a", "2020-01-01T00:00:00+02:00"))) == ["not defined"]
    await done(acme.disable("a", note="holiday"))
    (off,) = (await done(acme.why_not("a", defined.next + timedelta(days=1)))).answers
    assert (off.word, off.reason, off.act) == ("off", "disable", 2)
    assert "disabled by anna" in off.says
    assert off.says.endswith(": holiday")


async def test_a_minute_without_a_slot_says_why(acme: Face) -> None:
    year = datetime.now(UTC).year + 2
    yearly = {"cron": "0 9 * * *", "exclude": [{"on": f"{year}-12-25"}]}
    await done(acme.define("a", {"entrypoint": "x", "schedule": yearly}))
    (excluded,) = (await done(acme.why_not("a", f"{year}-12-25T09:00:00Z"))).answers
    assert (excluded.word, excluded.reason) == ("no slot", "excluded")
    (none,) = (await done(acme.why_not("a", f"{year}-12-24T09:01:00Z"))).answers
    assert (none.word, none.reason) == ("no slot", None)
    assert f"the one before was {year}-12-24T09:00:00Z; the next is {year}-12-26T09:00:00Z" in none.says


async def test_each_second_slot_of_a_minute_is_answered(acme: Face) -> None:
    await done(acme.define("a", {"entrypoint": "x", "schedule": {"every_s": 10}}))
    soon = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(hours=1)
    told = await done(acme.why_not("a", soon + timedelta(seconds=33)))
    assert (told.minute, words(told)) == (soon, ["not yet"] * 6)
    assert [one.at.second for one in told.answers] == [0, 10, 20, 30, 40, 50]


async def test_a_row_that_went_away_is_a_violation(acme: Face, eye: Ask) -> None:
    """I4, I14: a slot that is nobody's is not called anything kinder."""
    defined = await done(acme.define("a", EVERY_MINUTE))
    eye("DELETE FROM ledger.occurrence")
    (one,) = (await done(acme.why_not("a", defined.next))).answers
    assert (one.word, one.reason) == ("violation", "missing")


async def test_whatever_reason_a_row_has_is_told(acme: Face, eye: Ask) -> None:
    defined = await done(acme.define("a", EVERY_MINUTE))
    eye("UPDATE ledger.occurrence SET state = 'skipped', reason = 'a new word', closed = now()")
    (one,) = (await done(acme.why_not("a", defined.next))).answers
    assert (one.word, one.reason) == ("skipped", "a new word")
    assert "a new word" in one.says


async def test_the_archive_answers_too(acme: Face, eye: Ask) -> None:
    """What an archived row covers, or is, is told as before."""
    defined = await done(acme.define("a", EVERY_MINUTE))
    early, late = defined.next - timedelta(days=30), defined.next - timedelta(days=9)
    eye(
        """UPDATE ledger.occurrence
              SET due = %s, after = %s, state = 'succeeded', started = now(), closed = now(), passed = %s""",
        late,
        early - timedelta(minutes=1),
        f'[{{"first": "{early:%FT%T}.000000Z", "last": "{late - timedelta(minutes=1):%FT%T}.000000Z",'
        ' "count": 1000, "more": true, "reason": "misfire"}]',
    )
    before = [await done(acme.why_not("a", time)) for time in (early, late)]
    eye("INSERT INTO ledger.archive SELECT * FROM ledger.occurrence")
    eye("DELETE FROM ledger.occurrence")
    after = [await done(acme.why_not("a", time)) for time in (early, late)]
    assert [words(one) for one in after] == [["passed"], ["ran"]]
    assert [one.answers for one in after] == [one.answers for one in before]


async def test_what_was_dropped_is_not_called_a_violation(acme: Face, eye: Ask) -> None:
    """I16: the acts still say that it was a slot, and that is all that is known of it."""
    defined = await done(acme.define("a", EVERY_MINUTE))
    eye(
        "UPDATE ledger.act SET at = at - interval '30 days', resume_after = resume_after - interval '30 days'"
    )
    time = defined.next - timedelta(days=20)
    assert words(await done(acme.why_not("a", time))) == ["violation"]
    eye("UPDATE ledger.settings SET kept_from = %s", time + timedelta(days=1))
    assert words(await done(acme.why_not("a", time))) == ["not kept"]
    assert words(await done(acme.why_not("a", time - timedelta(days=20)))) == ["not defined"]


async def test_what_cannot_be_asked_is_refused(acme: Face) -> None:
    await done(acme.define("a", EVERY_MINUTE))
    for time in ("yesterday", "2026-01-01T00:00:00", datetime(2026, 1, 1), "2200-01-01T00:00:00Z"):  # noqa: DTZ001 - naive on purpose
        with pytest.raises(BadInput):
            await done(acme.why_not("a", time))
    with pytest.raises(NotFound, match="has and had no such task"):
        await done(acme.why_not("b", "2026-01-01T00:00:00Z"))
