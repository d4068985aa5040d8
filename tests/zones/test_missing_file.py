"""A zone whose file is missing in the release in force: each pass names it, and the door refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.sweeper.book import TENANT, Book
from tests.zones.releases import INSTALLED, Installation, made

PARIS: dict[str, object] = {"cron": "0 9 * * *", "timezone": "Europe/Paris"}
NEW_YEAR: dict[str, object] = {"cron": "0 9 1 1 *", "timezone": "America/New_York"}
# More than a pass takes before it gives a tenant up, where nobody knows what is wrong with them.
MANY = [f"hole-{n:02}" for n in range(23)]


@pytest.fixture
def book(dsn: str) -> Iterator[Book]:
    made_book = Book(dsn)
    yield made_book
    made_book.close()


@pytest.fixture
def broken(tmp_path: Path) -> Installation:
    """The installed release, in whose list Europe/Paris still stands."""
    installation = made(tmp_path, {}, INSTALLED)
    (tmp_path / "tzdata" / "zoneinfo" / "Europe" / "Paris").unlink()
    return installation


def test_every_pass_names_every_task_that_needs_it(book: Book, broken: Installation) -> None:
    """Whoever the drill has its turn with; the drill itself passes, and so does all else (I12, I13)."""
    for task in ("p1", "p2"):
        book.define(task, PARIS)
    book.define("union", {"any": [{"cron": "0 1 * * *"}, PARIS]})
    # Names it, and asks it nothing.
    book.define("interval", {"every_s": 86_400, "timezone": "Europe/Paris"})
    book.define("york", NEW_YEAR)
    book.define("told", payload={"timezone": "Nowhere/Land"})
    book.define("off", PARIS)
    book.switch("off", "disable")
    book.define("alone", PARIS, tenant="beta")
    book.define("well", tenant="gamma")
    for task in MANY:
        book.define(task, PARIS)
    book.define("hole")
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'hole' OR task = ANY (%s)", MANY)
    named = {TENANT: {"p1", "p2", "union", *MANY}, "beta": {"alone"}}
    drilled: set[tuple[object, ...]] = set()
    for n in range(3):
        said = broken.ledger(book.dsn, "sweep", "--json")
        assert said.code == 1, said
        told = cast("list[dict[str, object]]", said.json["not_green"])
        verdicts = {one["tenant"]: one for one in told}
        assert set(verdicts) == set(named)
        for tenant, tasks in named.items():
            found = verdicts[tenant]
            assert (found["word"], found["cause"], found["drill"]) == ("failed", "repair", "passed"), found
            assert found["detail"] == (
                f"{len(tasks)} tasks could not be mended: task {', '.join(map(repr, sorted(tasks)))}: "
                f"zone 'Europe/Paris' is not in tzdata {INSTALLED}; "
                "name another zone, or install the release it is in"
            )
        assert verdicts[TENANT]["repairs"] == ({} if n else {"missing": 1})
        drilled.update(book.sql("SELECT tenant, drill_task FROM ledger.verdict WHERE tenant <> 'gamma'"))
    assert drilled == {("beta", None), *((TENANT, task) for task in ("hole", "interval", "told"))}
    assert "task 'alone': zone 'Europe/Paris'" in broken.ledger(book.dsn, "sweep", "--tenant", "beta").out
    health = broken.ledger(book.dsn, "health")
    assert health.code == 1
    # Whichever tenant has been so for the longest: passes look at several at once.
    assert "zone 'Europe/Paris' is not in tzdata" in health.out
    report = book.sweep()
    assert (report.count("failed"), report.repairs) == (0, {"missing": len(MANY)})
    assert book.sweep().green


def test_it_is_refused_like_any_unknown_zone_and_an_edit_mends_it(book: Book, broken: Installation) -> None:
    book.define("p1", PARIS)
    for command in (
        ("task", "edit", "p1", '{"schedule": {"cron": "0 8 * * *"}}'),
        ("task", "edit", "p1", '{"timeout_s": 60}'),
        ("task", "add", "p2", "--entrypoint", "x", "--cron", "0 9 * * *", "--timezone", "Europe/Paris"),
        ("preview", "0 9 * * *", "--zone", "Europe/Paris"),
    ):
        said = broken.ledger(book.dsn, *command)
        assert said.code == 2, said
        line = said.err.splitlines()[0]
        assert f"'Europe/Paris' is no zone of tzdata {INSTALLED}; did you mean '" in line
        assert line.count("'Europe/Paris'") == 1
    mended = broken.does(
        book.dsn, "task", "edit", "p1", '{"schedule": {"timezone": "Europe/Berlin"}}', "--json"
    ).json
    assert mended["did"] == "edited"
    broken.does(book.dsn, "sweep")
