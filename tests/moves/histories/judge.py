"""Compares what the database did with what the model foretold, change by change."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from psycopg.rows import dict_row

from tests.moves.audits.decisions import undecided
from tests.moves.histories.book import SERIES, Act, Book, Row
from tests.moves.histories.lines import line_of
from tests.moves.stage import Row as Seen
from tests.moves.stage import Stage

COMPARED = (
    *(
        "key",
        "tenant",
        "task",
        "digest",
        "delivery",
        "agent",
        "destination",
        "wake",
        "due",
        "lane",
        "state",
        "run_at",
        "fingerprint",
    ),
    *(
        "blocked_by",
        "retry_at",
        "after",
        "base",
        "predecessor",
        "source",
        "passed",
        "failures",
        "incarnation",
    ),
    *("started", "handed", "deadline", "closed", "outcome", "queued", "freed"),
)
# Reasons that programs compare; of any other it only matters that there is one.
WORDS = ("overlap", "misfire", "backoff")


class Judge:
    """Follows the ledger by its log; `lines` counts the transitions of section 5 that were taken."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.seen: dict[tuple[str, UUID], Seen] = {}
        self.seq = 0
        self.lines: Counter[str] = Counter()

    def pass_over(self) -> None:
        """Take what was changed behind the ledger's back as it is."""
        for change in self._changes():
            self._keep(change)

    def forget(self, tenant: str, key: UUID) -> None:
        """A row is about to stand under another key."""
        del self.seen[tenant, key]

    def follow(self, book: Book, what: str) -> None:
        """Judge every change since the last look: legal by the table, and what the model foretold."""
        for change in self._changes():
            assert change["op"] != "DELETE", f"{what}: a row was deleted: {change}"
            name = _name(change)
            line = line_of(self.seen.get(name), change)
            assert line is not None, (
                f"{what}: not in the table: {_short(self.seen.get(name))} → {_short(change)}"
            )
            self.lines[line] += 1
            if change["lane"] == SERIES and change["state"] in ("pending", "ended"):
                version = book.texts[_bytes(change["digest"])].version
                why_not = list(undecided(change, version))
                assert not why_not, f"{what}: {_short(change)} does not replay: {why_not}"
            self._keep(change)
        beside = [_short(self.seen[name]) for name in self.seen.keys() - book.rows.keys()]
        missing = [book.rows[name] for name in book.rows.keys() - self.seen.keys()]
        assert not beside, f"{what}: not foretold: {beside}"
        assert not missing, f"{what}: foretold, but not there: {missing}"
        found = [
            f"{_short(self.seen[name])}: foretold and found {differing}"
            for name, row in book.rows.items()
            if (differing := differences(row, self.seen[name]))
        ]
        assert not found, "\n".join([f"{what}:", *found])

    def _changes(self) -> list[Seen]:
        with self.stage.eye.cursor(row_factory=dict_row, binary=True) as cursor:
            cursor.execute("SELECT * FROM stage.log WHERE seq > %s ORDER BY seq", [self.seq])
            changes = cursor.fetchall()
        if changes:
            self.seq = int(str(changes[-1]["seq"]))
        return changes

    def _keep(self, change: Seen) -> None:
        if change["op"] == "DELETE":
            del self.seen[_name(change)]
        else:
            self.seen[_name(change)] = change


def differences(row: Row, seen: Seen) -> dict[str, tuple[object, object]]:
    """What the model foretold of a row and what stands there, where they differ."""
    found: dict[str, tuple[object, object]] = {}
    if seen["blocked_by"] in row.blockers and row.blocked_by in row.blockers:
        row.blocked_by = seen["blocked_by"]
    for column in COMPARED:
        if getattr(row, column) != seen[column]:
            found[column] = (getattr(row, column), seen[column])
    reason = seen["reason"]
    if row.reason in WORDS or reason in WORDS:
        if row.reason != reason:
            found["reason"] = (row.reason, reason)
    elif (row.reason is None) != (reason is None):
        found["reason"] = (row.reason, reason)
    history = seen["history"] or []
    assert isinstance(history, list)
    for what, times in (("retired", row.retired_times), ("revived", row.revived_times)):
        if (n := sum(what in entry for entry in history)) != times:
            found[f"history, {what}"] = (times, n)
    aside = max((entry["aside"] for entry in history if "aside" in entry), default=0)
    if aside != row.aside_times:
        found["history, aside"] = (row.aside_times, aside)
    if seen["closed"] is not None and seen["closed_by"] is None and seen["incarnation"] is None:
        found["closed_by"] = ("whoever closed it (I6)", None)
    return found


def acts_differ(stage: Stage, book: Book) -> list[str]:
    """What differs between the tables of tasks and acts, which no run may change (I5), and the model's."""
    found = []
    tasks = {
        (str(tenant), str(task)): (digest, enabled, twin is None)
        for tenant, task, digest, enabled, twin in stage.ask(
            "SELECT tenant, task, digest, enabled, duplicate_hash FROM ledger.task"
        )
    }
    expected = {name: (t.text.digest, t.enabled, t.twin is None) for name, t in book.tasks.items()}
    if tasks != expected:
        found.append(f"tasks: foretold {expected}, there {tasks}")
    acts: dict[tuple[str, str], list[Act]] = {}
    for tenant, task, *rest in stage.ask(
        "SELECT tenant, task, n, at, what, digest, enabled, resume_after FROM ledger.act ORDER BY n"
    ):
        acts.setdefault((str(tenant), str(task)), []).append(Act(*rest))
    if acts != book.acts:
        found.append(f"acts: foretold {book.acts}, there {acts}")
    ((evidence,),) = stage.ask("SELECT count(*) FROM ledger.evidence WHERE what = 'late finish'")
    if evidence != book.evidence:
        found.append(f"late finishes: foretold {book.evidence}, there {evidence}")
    return found


def _bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return value


def _name(row: Seen) -> tuple[str, UUID]:
    key = row["key"]
    assert isinstance(key, UUID)
    return str(row["tenant"]), key


def _short(row: Seen | None) -> str:
    if row is None:
        return "no row"
    columns = ("tenant", "task", "wake", "due", "state", "reason", "run_at", "blocked_by", "key")
    return ", ".join(f"{c} {row[c]}" for c in columns if row[c] is not None)
