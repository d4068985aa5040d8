"""Schedules as people read them in one line, and what is worth a warning in them."""

from __future__ import annotations

from ledger.authored.cron import read_cron
from ledger.commands_door import complain, one_line


def schedule_text(authored: dict[str, object]) -> str:
    """`0 9 * * MON Europe/Paris`, `every 900 s` or `at 2026-…`: a schedule of the authored form, in short."""
    schedule = authored.get("schedule")
    if not isinstance(schedule, dict):
        return ""
    zone = schedule.get("timezone", "UTC")
    if "cron" in schedule:
        return f"{schedule['cron']} {zone}"
    if "every_s" in schedule:
        return f"every {schedule['every_s']} s"
    return f"at {schedule['at']}" if "at" in schedule else one_line(schedule)


def warn_of_schedule(authored: dict[str, object]) -> None:
    """Say which steps of a cron text do not tile their field: the last gap is then a shorter one."""
    schedule = authored.get("schedule")
    text = schedule.get("cron") if isinstance(schedule, dict) else None
    if isinstance(schedule, dict) and isinstance(text, str):
        for item in read_cron(text, seconds=schedule.get("seconds") is True).uneven:
            complain(f"warning: {item} in {text!r} leaves an uneven gap where the field starts again")
