"""Each promise as one query over what is committed: an answer without rows says that it holds."""

from __future__ import annotations

import json
from importlib.resources import files

from ledger.release import RELEASE
from tests.moves.audits.decisions import undecided
from tests.moves.histories.texts import Text
from tests.moves.own_keys import own_key
from tests.moves.stage import Row, Stage

AUDITS = {
    file.name.removesuffix(".sql"): file.read_text("utf-8")
    for file in sorted(files(__package__).iterdir(), key=lambda file: file.name)
    if file.name.endswith(".sql")
}


def broken(stage: Stage) -> list[str]:
    """What the database holds against the promises, each with its number and the rows that break it."""
    found = [f"I{int(name[1:3])}: {row}" for name, query in AUDITS.items() for row in stage.ask(query)]
    rows = stage.rows()
    found += [f"I1: {why}" for row in rows if (why := misnamed(row))]
    texts = {
        (tenant, digest): Text(json.loads(str(canonical)))
        for tenant, digest, canonical in stage.ask("SELECT tenant, digest, canonical FROM ledger.definition")
    }
    for row in rows:
        # What another release of the zone rules projected replays under those.
        if row["lane"] == "series" and row["tzdata"] == RELEASE.tzdata:
            version = texts[row["tenant"], row["digest"]].version
            found += [f"I10: {row['key']} {why}" for why in undecided(row, version)]
    return found


def misnamed(row: Row) -> str | None:
    """I1: how a row's key and fingerprint differ from those of the facts beside it.

    A row that the sweep has found out and retired is evidence, and stays as it was found.
    """
    if row["state"] == "retired" and row["reason"] == "misnamed":
        return None
    names = ("tenant", "delivery", "wake", "agent", "destination", "task")
    digest, due = row["digest"], row["due"]
    own = own_key((*(str(row[name]) for name in names), digest.hex()), due)
    if (own.key, own.fingerprint) == (row["key"], row["fingerprint"]):
        return None
    return f"{row['key']} stands for the facts of {own.key}"
