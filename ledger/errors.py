"""One class per decision that a caller can take.

Every message says what was tried, on which tenant, task and key, what was found, and what to do.
The attributes repeat the facts for programs.
"""

from __future__ import annotations


class LedgerError(Exception):
    """Whatever the ledger raises on purpose; catch this to catch them all."""

    def __init__(
        self, message: str, *, tenant: str | None = None, task: str | None = None, key: str | None = None
    ) -> None:
        where = " ".join(
            f"{name} {value!r}"
            for name, value in (("tenant", tenant), ("task", task), ("key", key))
            if value is not None
        )
        super().__init__(f"{message} [{where}]" if where else message)
        self.message = message
        # Two lines, the text that was not taken and a caret under the place; "" where no text is read.
        self.excerpt = ""
        self.tenant = tenant
        self.task = task
        self.key = key


# --- Mend the input -------------------------------------------------------------------------


class BadInput(LedgerError):
    """What was handed in cannot be taken; nothing was stored. Mend it and call again."""


class FactRefused(BadInput):
    """A fact, an authored object or a due text does not fit its form.

    `code` and `fact` are the two members of a refusal in the conformance protocol.
    """

    def __init__(self, code: str, fact: str, message: str) -> None:
        super().__init__(f"{fact}: {message}")
        self.code = code
        self.fact = fact


class TaskRefused(BadInput):
    """A task's authored object does not fit; `path` names the first failing member.

    Where a cron or rrule text was not taken, `excerpt` shows it with a caret under the place.
    """

    def __init__(self, path: str, message: str, *, excerpt: str = "") -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.excerpt = excerpt


class DuplicateTask(BadInput):
    """Another enabled task of the tenant asks for the very same work at the same times."""


class NotFound(BadInput):
    """The tenant has no such task, or the ledger no such key."""


class Disabled(BadInput):
    """The task's switch is off, so nothing of it may start. Enable it and call again."""


class StillRunning(BadInput):
    """Runs are going on of what is to be deleted. Wait for them, or force it: they are cancelled."""


class TooEarly(BadInput):
    """The instant asked for is no later than a slot that has its disposition already. Ask for a later one."""


# --- Take the answer and go on --------------------------------------------------------------


class NotStarted(LedgerError):
    """The occurrence cannot be started now; `reason` is a word that programs may compare.

    `not_due`, `running`, `closed`, `retired`, `waiting`, `blocked`, or `held` where its tenant is at its cap.
    """

    def __init__(self, message: str, *, reason: str, tenant: str, task: str | None, key: str) -> None:
        super().__init__(message, tenant=tenant, task=task, key=key)
        self.reason = reason


class Superseded(LedgerError):
    """The run was closed by someone else; the outcome was kept as evidence only. Discard the result."""


# --- Try again ------------------------------------------------------------------------------


class Busy(LedgerError):
    """A lock or a statement did not come in its time; nothing was changed. Try again."""


class Unreachable(LedgerError):
    """The database cannot be reached; nothing was changed. Try again later (exit code 3)."""


class OutcomeUnknown(LedgerError):
    """The connection was lost while the answer to COMMIT was awaited; it may have happened.

    Every move of this package may be done again with the same facts: the second time changes nothing.
    """


class PresenceGone(LedgerError):
    """This process is not there any more, as others see it: it may start nothing until it registers again."""


class PresenceExpelled(PresenceGone):
    """A person has ended this life of the process: it starts nothing more. Look why, then start it anew."""


# --- Call an engineer -----------------------------------------------------------------------


class Misconfigured(LedgerError):
    """Schema, version, role or connection is not what this release needs; the message says what to run."""


class OtherRelease(Misconfigured):
    """The database is of another release, or was never migrated: this process may change nothing in it."""


class Violation(LedgerError):
    """The database refused what would break a promise; `constraint` names the guard. Nothing was changed."""

    def __init__(self, message: str, *, constraint: str | None = None) -> None:
        super().__init__(message)
        self.constraint = constraint


class KeyCollision(LedgerError):
    """The same key with another fingerprint: two different occurrences, never adopted (I2)."""


class StaleReference(LedgerError):
    """A projection met a closed row under the key it derived: its reference was wrong. A defect, loud."""
