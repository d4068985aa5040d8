"""What the schema may hold: the task's row only what a person asked for, the hot table few indexes."""

from __future__ import annotations

from datetime import timedelta

from ledger.driver.migrate import migrate, migrations
from ledger.moves.step import ask
from ledger.statements.sweep import READ_CATALOG
from tests.moves.acting import TENANT, claim_all, defined, finished, folded, key_of
from tests.moves.stage import Stage, instant
from tests.servers.databases import Databases

NOON = instant("2026-06-01 12:00")
INDEXES_MOST = 9
ENTERED_MOST = 6
# What a person sets is in the authored text behind the digest; beside it the switch, and what guards twins.
TASK = ["tenant", "task", "digest", "agent", "enabled", "duplicate_hash"]


def test_the_columns_of_a_task_are_what_a_person_asked_for(stage: Stage) -> None:
    """I5: a column that derives from a run is a bug; whoever adds one says which act of a person sets it."""
    columns = stage.ask(
        "SELECT attname::text FROM pg_attribute WHERE attrelid = 'ledger.task'::regclass AND attnum > 0"
        " AND NOT attisdropped ORDER BY attnum"
    )
    assert [name for (name,) in columns] == TASK


def test_no_run_changes_the_row_of_its_task(stage: Stage) -> None:
    """I5: through all that runs do, the row stays the very version that the person wrote."""
    stage.at(NOON)
    defined(stage, "a", folded(retry={"attempts": 1}))
    before = stage.ask("SELECT xmin::text, ctid::text FROM ledger.task")
    for minute, how in ((1, "failed"), (5, "succeeded")):
        stage.at(NOON + timedelta(minutes=minute))
        for run in stage.run(claim_all()).started:
            stage.run(finished(run.key, how), "tenant", TENANT)
    assert stage.ask("SELECT xmin::text, ctid::text FROM ledger.task") == before


def test_the_hot_table_has_few_indexes_and_a_row_enters_fewer(stage: Stage) -> None:
    indexes = stage.ask(
        "SELECT c.relname::text, coalesce(pg_get_expr(i.indpred, i.indrelid), 'true') FROM pg_index i"
        " JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'ledger.occurrence'::regclass"
    )
    assert len(indexes) <= INDEXES_MOST
    stage.at(NOON)
    defined(stage, "a", folded())
    key = key_of(stage, "a")
    entered: dict[str, str] = {}

    def look(state: str) -> None:
        assert stage.ask("SELECT state FROM ledger.occurrence WHERE key = %s", [key]) == [(state,)]
        for name, predicate in indexes:
            inside = f"SELECT 1 FROM ledger.occurrence WHERE key = %s AND ({predicate})"  # noqa: S608 - the schema's own
            if stage.ask(inside.replace("%'", "%%'"), [key]):
                entered.setdefault(str(name), state)

    look("pending")
    stage.at(NOON + timedelta(minutes=1))
    stage.run(claim_all())
    look("running")
    stage.run(finished(key), "tenant", TENANT)
    look("succeeded")
    assert len(entered) <= ENTERED_MOST, entered


def test_migrations_applied_twice_change_nothing(databases: Databases) -> None:
    name = databases.empty()
    dsn = databases.dsn(name)
    assert migrate(dsn) == list(migrations())
    stage = Stage(dsn, name)
    before = stage.run(ask(READ_CATALOG()), "sweeper")
    assert len(before) > 100
    assert migrate(dsn) == []
    assert stage.run(ask(READ_CATALOG()), "sweeper") == before
    stage.close()
    databases.drop(name)
