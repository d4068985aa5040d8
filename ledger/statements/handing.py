"""Runs that go to another machine: what is noted of them, and who answers for them."""

from __future__ import annotations

from ledger.statements.load import NoRow, load
from ledger.statements.presence import MovedRun

NOTE_HANDED = load("note_handed", MovedRun)
RELEASE_RUNS = load("release_runs", MovedRun)
TAKE_UNHANDED = load("take_unhanded", MovedRun)
NOTE_GONE = load("note_gone", NoRow)
