"""The occurrence ledger: the next run of a task is a row with a derived key, not a field on the task.

The names below are all that a program needs. Each is loaded when it is first used: `import ledger` costs
nothing, and no room of the package loads what stands above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.api import AsyncLedger, AsyncTenantLedger, Ledger, Registry, Run, TenantLedger
    from ledger.authored.models import Dst, Exclude, Misfire, Retry, Schedule, Task
    from ledger.errors import (
        BadInput,
        Busy,
        Disabled,
        DuplicateTask,
        FactRefused,
        LedgerError,
        Misconfigured,
        NotFound,
        NotStarted,
        OutcomeUnknown,
        Superseded,
        TaskRefused,
        Unreachable,
    )
    from ledger.once import aclaim_once, claim_once

__all__ = [
    "AsyncLedger",
    "AsyncTenantLedger",
    "BadInput",
    "Busy",
    "Disabled",
    "Dst",
    "DuplicateTask",
    "Exclude",
    "FactRefused",
    "Ledger",
    "LedgerError",
    "Misconfigured",
    "Misfire",
    "NotFound",
    "NotStarted",
    "OutcomeUnknown",
    "Registry",
    "Retry",
    "Run",
    "Schedule",
    "Superseded",
    "Task",
    "TaskRefused",
    "TenantLedger",
    "Unreachable",
    "aclaim_once",
    "claim_once",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'ledger' has no attribute {name!r}")
        from ledger import api, errors, once  # noqa: PLC0415 - loaded when first used
        from ledger.authored import models  # noqa: PLC0415 - loaded when first used

        return getattr(next(module for module in (errors, models, once, api) if hasattr(module, name)), name)
