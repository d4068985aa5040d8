"""`ledger preview`: what a schedule means, before a task has it. No database is asked."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import click

from ledger.commands_door import (
    complain,
    json_option,
    one_line,
    plain,
    print_facts,
    print_json,
    print_table,
)
from ledger.errors import BadInput, FactRefused, TaskRefused
from ledger.facts import EPOCH, read_instant, shown
from ledger.moves import reads
from ledger.moves.definitions import parse
from projector import door
from projector.commands.files import read_yaml
from projector.preview import Line, Preview
from projector.preview import preview as look
from projector.preview.english import joined
from projector.slots import fault_of
from projector.slots.zones import zone

_EPILOG = """\b
Examples:
  ledger preview "0 9 * * MON-FRI" --zone Europe/Paris
  ledger preview "30 2 * * *" --zone America/New_York --from 2027-03-13
  ledger preview "every 15m"
  ledger preview "at 2026-12-24T18:00:00+01:00"
  ledger preview '{cron: "0 9 * * *", timezone: Europe/Paris, exclude: [{on: "12-25"}]}'
"""
_WORDED = re.compile(r"(every|at)[ \t]+(.+)", re.IGNORECASE | re.DOTALL)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_LOCAL = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?", re.ASCII)
_EARLIEST_S, _LATEST_S = 0, int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())


@click.command(epilog=_EPILOG)
@click.argument("schedule", metavar="SCHEDULE")
@click.option("--zone", "timezone", metavar="ZONE", help="Where it is read, as Europe/Paris  [default: UTC]")
@click.option(
    "--from",
    "start",
    metavar="WHEN",
    help="No slot before this: a day or a time on the zone's clock, as 2027-03-13 or 2027-03-13T09:00, or an "
    "instant with an offset  [default: now]",
)
@click.option("--count", type=int, default=10, show_default=True, help="Slots at most, to 1000.")
@json_option
def preview(schedule: str, timezone: str | None, start: str | None, count: int, as_json: bool) -> None:
    """Show when SCHEDULE runs: its next slots, in words, and what changing clocks do to it.

    SCHEDULE is a cron text, `every DURATION`, `at TIMESTAMP`, or a schedule's whole object as JSON or YAML.
    No database is asked, and nothing is stored.
    """
    if not 1 <= count <= reads.PAGE_MOST:
        raise BadInput(f"--count {count}: write 1 to {reads.PAGE_MOST}")
    # As the law folds it, within the smallest task there is; what is shown back is what would be stored.
    folded = door.read_task({"entrypoint": "preview", "schedule": _authored(schedule, timezone)})
    definition = parse(folded.canonical).schedule
    fault = fault_of(definition)
    if fault is not None:
        raise TaskRefused(f"schedule.{fault.path}", fault.message)
    found = look(definition, _start(start, definition.timezone), count)
    stored = folded.authored["schedule"]
    if as_json:
        print_json({"schedule": stored, **_plain(found)})
    else:
        _tell(stored, found)


def _authored(text: str, timezone: str | None) -> dict[str, object]:
    """The schedule's object that a text means, in the plain or the friendlier form."""
    said: dict[str, object] = {}
    match = _WORDED.fullmatch(text.strip())
    if match is not None:
        kind, value = match[1].lower(), match[2]
        said = {"every_s": _seconds(value)} if kind == "every" else {"at": value}
    elif text.lstrip().startswith("{") or re.match(r"\s*[a-z_]+:", text):
        value = read_yaml(text.encode("utf-8", "surrogateescape"), "schedule")
        if not isinstance(value, dict):
            raise BadInput(f"schedule: write its object, such as {{every_s: 900}}, not {shown(value)}")
        said = dict(value)
    elif text.strip().upper().startswith("RRULE:"):
        said = {"rrule": text.strip()}
    else:
        said = {"cron": text}
    if timezone is not None:
        if said.get("timezone") not in (None, timezone):
            raise BadInput(
                f"--zone {timezone}: the schedule says its timezone itself, {shown(said['timezone'])}; "
                "leave one of them out"
            )
        said["timezone"] = timezone
    return said


def _seconds(value: str) -> object:
    """Bare digits are seconds; `15m` is read at the door."""
    return int(value) if value.isdecimal() and len(value) < 12 else value


def _start(text: str | None, timezone: str) -> datetime:
    """The first instant that is looked at: now, a day or a time of the zone's clock, or an instant."""
    if text is None:
        return datetime.now(UTC)
    match = _LOCAL.fullmatch(text)
    if match is None:
        return _instant(text)
    try:
        wall = datetime.fromisoformat(f"{match[1]}T{match[2] or '00:00'}+00:00")
    except ValueError as error:
        raise BadInput(f"--from {shown(text)} does not exist: {error}") from error
    # The later of two offsets is the smaller instant where clocks go back: no slot of that day is left out.
    where = zone(timezone)
    seconds = int(wall.timestamp())
    offset = max(where.offset_at(seconds - 86_400), where.offset_at(seconds + 86_400))
    if not _EARLIEST_S <= seconds - offset <= _LATEST_S:
        raise _beyond(text)
    return EPOCH + timedelta(seconds=seconds - offset)


def _instant(text: str) -> datetime:
    try:
        return read_instant(text, "from")
    except FactRefused as error:
        if error.code == "out_of_range":
            raise _beyond(text) from error
        if _DAY.match(text):
            raise BadInput(f"--{str(error).replace(': ', ' ', 1)}") from error
        raise BadInput(
            f"--from {shown(text)} is no time; write 2027-03-13, 2027-03-13T09:00 or 2027-03-13T09:00:00Z"
        ) from error


def _beyond(text: str) -> BadInput:
    return BadInput(f"--from {shown(text)} lies outside the years 1970 to 9999 in UTC")


def _tell(stored: object, found: Preview) -> None:
    alone = isinstance(stored, dict) and set(stored) <= {"cron", "timezone"}
    rule = stored["cron"] if isinstance(stored, dict) and alone else stored
    print_facts({"schedule": rule, "zone": joined(found.zones), "in words": found.words})
    for caution in found.cautions:
        complain(f"warning: {caution}")
    click.echo()
    if found.lines:
        rows = [
            (
                f"{line.weekday[:3]} {_local(line)}",
                "" if line.offset is None else _offset(line.offset),
                "no run" if line.slot is None else _utc(line.slot),
                line.timezone,
                "; ".join(line.remarks),
            )
            for line in found.lines
        ]
        headers = ("local", "offset", "UTC", "zone", "note")
        left_out = {"zone"} if len(found.zones) == 1 else set()
        left_out |= set() if any(line.remarks for line in found.lines) else {"note"}
        kept = [i for i, header in enumerate(headers) if header not in left_out]
        print_table([headers[i] for i in kept], [[row[i] for i in kept] for row in rows])
    if found.ended:
        click.echo("no slot comes after that" if found.lines else f"no slot from {one_line(found.start)} on")


def _plain(found: Preview) -> dict[str, object]:
    return {
        "timezone": found.timezone,
        "words": found.words,
        "cautions": list(found.cautions),
        "from": found.start,
        "rows": [
            {
                "slot": plain(line.slot),
                "local": line.local.isoformat(),
                "timezone": line.timezone,
                "weekday": line.weekday,
                "offset": None if line.offset is None else _offset(line.offset),
                "remarks": list(line.remarks),
            }
            for line in found.lines
        ],
        "ended": found.ended,
    }


def _local(line: Line) -> str:
    return _short(line.local.isoformat(" "))


def _utc(slot: datetime) -> str:
    return f"{_short(slot.astimezone(UTC).replace(tzinfo=None).isoformat(' '))}Z"


def _short(text: str) -> str:
    return text.removesuffix(":00") if text.count(":") == 2 else text


def _offset(offset: timedelta) -> str:
    """`+05:30`; the old offsets have seconds."""
    seconds = int(offset.total_seconds())
    minutes, rest = divmod(abs(seconds), 60)
    text = f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{rest:02}" if rest else text
