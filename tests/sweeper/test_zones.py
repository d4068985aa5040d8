"""What the sweep says of zone rules: rows of other releases, zones that have gone from tzdata (I12, I20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

import pytest

from ledger.authored.fold import fold
from ledger.authored.models import Definition
from ledger.errors import Misconfigured, OtherRelease
from ledger.moves.adopt import NewRow, Origin, Subject, adopt
from ledger.moves.step import ask, within_savepoint
from ledger.release import RELEASE
from ledger.statements.acts import ADD_ACTS
from projector.moves.acts import act
from projector.moves.change import Wanted
from projector.moves.upcoming import upcoming
from sweeper.health import health
from sweeper.passes import sweep
from tests.sweeper.book import FAR, TENANT, Book, all_well, only

OTHER = "1999.1"
NEW_YEAR = {"cron": "0 9 1 1 *", "timezone": "Etc/GMT+7"}
GONE = "Mars/Olympus"


def left_behind(book: Book, subject: Subject, row: NewRow) -> None:
    """Put a row of another release in the place of a task's open one."""
    book.sql("DELETE FROM ledger.occurrence WHERE task = %s", subject.task)
    book.run(adopt([row], "define", datetime.now(UTC)), "tenant", TENANT)
    book.sql("UPDATE ledger.occurrence SET tzdata = %s WHERE task = %s", OTHER, subject.task)


def put_elsewhere(book: Book, task: str) -> tuple[UUID, UUID]:
    """A task whose open row other rules put an hour later: the key it should have, and the one it has."""
    acted = book.define(task, NEW_YEAR)
    ((after, base, due, text),) = book.sql(
        "SELECT o.after, o.base, o.due, d.canonical FROM ledger.occurrence o JOIN ledger.definition d"
        " USING (tenant, digest) WHERE o.task = %s",
        task,
    )
    assert isinstance(due, datetime)
    subject = Subject(TENANT, task, acted.digest, Definition.of(str(text)))
    row = subject.row("schedule", due + timedelta(hours=1), origin=Origin(after, base, None, "baseline-cron"))
    left_behind(book, subject, row)
    assert acted.key is not None
    return acted.key, row.key


def vanish(book: Book, task: str, due: datetime) -> None:
    """A task as an older release left it, in a zone that tzdata does not have any more."""
    acted = book.define(task, NEW_YEAR)
    text = fold({"entrypoint": task, "schedule": {**NEW_YEAR, "cron": "0 9 * * *"}}).canonical
    text = text.replace("Etc/GMT+7", GONE)
    digest = sha256(text.encode()).digest()
    book.sql(
        "INSERT INTO ledger.definition SELECT tenant, %s, version, %s, at, by FROM ledger.definition"
        " WHERE digest = %s",
        digest,
        text,
        acted.digest,
    )
    for table in ("task", "act"):
        book.sql(f"UPDATE ledger.{table} SET digest = %s WHERE task = %s", digest, task)  # noqa: S608
    subject = Subject(TENANT, task, digest, Definition.of(text))
    came = Origin(due - timedelta(days=1), due - timedelta(days=1), None, "baseline-cron")
    left_behind(book, subject, subject.row("schedule", due, origin=came))


def test_a_row_that_other_rules_put_elsewhere_is_mended_by_an_act(book: Book) -> None:
    book.define("still")
    right, wrong = put_elsewhere(book, "moved")
    assert only(book.sweep()) == {"zone rules": 1}
    assert book.open_keys("moved") == [right]
    assert (book.state(wrong), book.state(right)) == ("retired", "pending")
    assert book.sql("SELECT task, by FROM ledger.act WHERE what = 'zones'") == [("moved", "sweep")]
    all_well(book.sweep())


def test_a_row_whose_instant_stays_is_nothing_to_mend(book: Book) -> None:
    book.define("stays", NEW_YEAR)
    book.sql("UPDATE ledger.occurrence SET tzdata = %s", OTHER)
    all_well(book.sweep())
    assert book.sql("SELECT task FROM ledger.act WHERE what = 'zones'") == []


def test_the_sweep_writes_no_other_act(book: Book) -> None:
    acted, now = book.define("a"), datetime.now(UTC)
    for what in ("zones", "edit"):
        adding = ADD_ACTS(
            tenant=TENANT,
            at=now,
            by="sweep",
            note="",
            tasks=["a"],
            ns=[2],
            whats=[what],
            digests=[acted.digest],
            enabled=[True],
            resume_afters=[now],
        )
        if what == "zones":
            book.run(within_savepoint(ask(adding), keep=False), "sweeper", TENANT)
            continue
        with pytest.raises(Misconfigured, match="row-level security"):
            book.run(ask(adding), "sweeper", TENANT)


def test_a_zone_that_has_gone_is_told_by_name_and_stops_nothing_else(book: Book) -> None:
    vanish(book, "lost", datetime.now(UTC) + timedelta(hours=3))
    book.define("missing")
    book.define("there")
    book.define("theirs", tenant="other")
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'missing'")
    report = book.sweep()
    (mine,) = [verdict for verdict in report.verdicts if verdict.tenant == TENANT]
    (others,) = [verdict for verdict in report.verdicts if verdict.tenant == "other"]
    assert others.green
    assert (mine.word, mine.cause, dict(mine.repairs)) == ("failed", "repair", {"missing": 1})
    assert mine.detail is not None
    assert "task 'lost'" in mine.detail
    assert f"zone '{GONE}' is not in tzdata {RELEASE.tzdata}" in mine.detail
    (sign,) = [sign for sign in health(book.connection).signs if sign.name == "verdicts"]
    assert sign.word == "bad"
    assert "'lost'" in sign.says
    # What comes is told of the others, and of this one what stands.
    runs = book.run(upcoming(TENANT, None, 10, None), "tenant", TENANT)
    assert {run.task for run in runs} == {"lost", "missing", "there"}
    assert [run.known for run in runs if run.task == "lost"] == ["open"]
    assert all(GONE in str(run.reason) for run in runs if run.task == "lost")


def test_a_claim_sets_it_aside_and_an_edit_mends_it(book: Book) -> None:
    vanish(book, "lost", datetime.now(UTC) - timedelta(minutes=1))
    book.define("there", {"at": "2020-01-01T00:00:00Z"})
    book.define("every", {"every_s": 1})
    book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE task = 'every'")
    claimed = book.claim()
    assert [run.subject.task for run in claimed.started] == ["every"]
    assert [why for _, _, why in claimed.aside if GONE in why]
    (sign,) = [sign for sign in health(book.connection).signs if sign.name == "rows set aside"]
    assert sign.word == "bad"
    assert "'lost'" in sign.says
    mended = fold({"entrypoint": "lost", "schedule": NEW_YEAR})
    (acted,) = book.run(act(TENANT, [Wanted("lost", "edit", mended)], "a person"), "tenant", TENANT)
    assert acted.did == "edited"
    assert acted.next is not None
    assert book.state(acted.key) == "pending"


def test_a_pass_stops_where_the_rules_move_under_it(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    book.define("a")
    book.define("b", FAR, tenant="other")
    book.sql("DELETE FROM ledger.occurrence WHERE task IN ('a', 'b')")
    made: list[int] = []

    def told(done: int, of: int) -> None:
        if not made:
            book.sql("UPDATE ledger.settings SET tzdata = '9999.1'")
        made.append(done)

    with pytest.raises(OtherRelease, match=r"9999\.1 in force"):
        sweep(book.connection, told=told)
    assert made == [1]
    assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'pending'") == 1
    assert book.one("SELECT count(*) FROM ledger.pass WHERE closed IS NULL") == 1
