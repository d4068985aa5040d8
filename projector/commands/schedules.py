"""Schedules as people read them in one line, and what is worth a warning in them."""

from __future__ import annotations

from ledger.authored.cron import read_cron
from ledger.commands_door import complain, one_line
from projector.preview.cautions import uneven_steps


def schedule_text(authored: dict[str, object]) -> str:
    """`0 9 * * MON Europe/Paris`, `every 900 s`, `at 2026-…`: a schedule of the authored form, in short."""
    schedule = authored.get("schedule")
    if not isinstance(schedule, dict):
        return ""
    zone = schedule.get("timezone", "UTC")
    if "cron" in schedule:
        return f"{schedule['cron']} {zone}"
    if "every_s" in schedule:
        return f"every {schedule['every_s']} s"
    if "rrule" in schedule:
        return f"{schedule['rrule']} {zone}"
    return f"at {schedule['at']}" if "at" in schedule else one_line(schedule)


def warn_of_schedule(authored: dict[str, object]) -> None:
    """Say which steps of a schedule's cron texts do not tile their field, and the gap that each leaves."""
    schedule = authored.get("schedule")
    either = schedule.get("any") if isinstance(schedule, dict) else None
    for rule in either if isinstance(either, list | tuple) else [schedule]:
        text = rule.get("cron") if isinstance(rule, dict) else None
        if isinstance(rule, dict) and isinstance(text, str):
            for said in uneven_steps(read_cron(text, seconds=rule.get("seconds") is True)):
                complain(f"warning: {text!r}: {said}")
