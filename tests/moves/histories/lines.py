"""The legal transitions of an occurrence (I6), each a line that a run of histories must have taken.

Lines of backfills, limits and agents that are gone come with the releases that can carry them out.
"""

from __future__ import annotations

from collections.abc import Mapping

Seen = Mapping[str, object]

# Whoever may open a series row, in the word that the row keeps of it.
OPENERS = ("define", "edit", "enable", "hint", "claim", "start", "cancel", "sweep")
LINES = (
    *(f"none → pending, by {word}" for word in OPENERS),
    "none → pending, a retry",
    "none → pending, a retry handed back",
    "none → pending, a request",
    "none → pending, a hint's",
    "none → ended",
    "pending → running",
    "pending → running, a hint's",
    "pending → running, a retry",
    "pending → running, a request",
    "pending → running, by key",
    "pending → waiting",
    "pending → waiting, the series",
    "waiting → pending",
    "waiting → pending, the series",
    "pending → set aside",
    "set aside → pending",
    "pending → skipped (overlap)",
    "pending → skipped (misfire)",
    "pending → skipped (backoff)",
    *(
        f"pending → retired ({why})"
        for why in (
            "edit",
            "hint given",
            "hint withdrawn",
            "disable",
            "delete",
            "dead digest",
            "stray",
            "misnamed",
        )
    ),
    "retired → pending",
    "retired → pending, a hint's",
    "retired → pending, a retry",
    "pending → cancelled",
    "running → succeeded",
    "running → failed",
    "running → timed_out",
    "running → lost",
    "running → cancelled",
    "running → cancelled (replaced)",
    "running → cancelled (unhanded)",
    "running → failed (unhanded)",
)
_WHOSE = {"schedule": "", "hint": ", a hint's", "manual": ", a request"}
# A row that rose again behind the ledger's back is retired by whatever act comes first to its task.
_STRAYED = (
    "pending → retired (define)",
    "pending → retired (enable)",
    "pending → retired (hint unchanged)",
)
# An edit opens the slot anew that had to wait, and writes in the same turn for how long it has.
_CARRIED = "pending → pending, having waited"


def line_of(was: Seen | None, now: Seen) -> str | None:
    """The line of section 5's table that a change took; None for one that is not legal."""
    before, after = (was or {}).get("state"), now["state"]
    wake = str(now["wake"]).partition(":")[0]
    if before is None:
        line = _opened(now, wake)
    elif before == "pending" and after == "pending":
        assert was is not None
        line = _held(was, now)
    elif before == "pending" and after == "running":
        line = "pending → running" + _WHOSE.get(wake, ", a retry")
        if wake == "schedule" and now["incarnation"] is None:
            line += ", by key"
    elif after in ("skipped", "retired"):
        line = f"{before} → {after} ({now['reason']})"
    elif before == "retired":
        line = f"retired → {after}" + _WHOSE.get(wake, ", a retry")
    elif before == "running" and was is not None and str(now["reason"]).startswith("unhanded"):
        line = f"running → {after} (unhanded)"
    elif before == "running" and str(now["reason"]).startswith("replaced by"):
        line = f"running → {after} (replaced)"
    else:
        line = f"{before} → {after}"
    return line if line in (*LINES, *_STRAYED, _CARRIED) else None


def _opened(now: Seen, wake: str) -> str:
    if now["state"] == "ended":
        return "none → ended" if wake == "end" else "none → ended, with slots left"
    if wake == "manual":
        return "none → pending, a request"
    if wake in ("retry", "rerun"):
        history = now["history"] or []
        assert isinstance(history, list)
        back = any(entry.get("in_a_row") for entry in history)
        return "none → pending, a retry" + (" handed back" if back else "")
    if wake == "hint" and now["made_by"] != "hint":
        return "none → pending, a hint's"
    return f"none → {now['state']}, by {now['made_by']}"


def _held(was: Seen, now: Seen) -> str:
    """What moves a row in or out of the due indexes; whatever else changes a pending row is no line."""
    before, after = _hold(was), _hold(now)
    if before == after == "pending" and was["queued"] is None and now["freed"] is not None:
        return _CARRIED
    if before == after or "pending" not in (before, after):
        return "pending → pending"
    series = now["lane"] == "series" and "waiting" in (before, after)
    return f"{before} → {after}" + (", the series" if series else "")


def _hold(row: Seen) -> str:
    if row["blocked_by"] is None:
        return "pending"
    return "set aside" if row["blocked_by"] == row["key"] else "waiting"
