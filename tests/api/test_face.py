"""The package's face: every public name, loaded when it is first used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import ledger
from ledger import AsyncTenantLedger, TenantLedger


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, ledger; print(sorted(m for m in sys.modules if m.startswith(('ledger.', 'psycopg'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_name_is_there_and_no_other() -> None:
    for name in ledger.__all__:
        assert getattr(ledger, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Ledgr'"):
        _ = ledger.Ledgr


def test_the_two_faces_are_one() -> None:
    """Sync and async have the same methods with the same arguments; only awaiting differs."""
    for sync, aio in ((ledger.Ledger, ledger.AsyncLedger), (TenantLedger, AsyncTenantLedger)):
        names = {name for name in vars(sync) if not name.startswith("_")}
        assert names == {name for name in vars(aio) if not name.startswith("_")}
        for name in names:
            mine, theirs = (inspect.signature(getattr(face, name)) for face in (sync, aio))
            assert list(mine.parameters.values()) == list(theirs.parameters.values()), name
            assert inspect.getdoc(getattr(aio, name)), name
    acts = [name for name in vars(TenantLedger) if not name.startswith("_") and name != "on"]
    assert all(inspect.iscoroutinefunction(getattr(AsyncTenantLedger, name)) for name in acts)
    assert len(acts) >= 15
