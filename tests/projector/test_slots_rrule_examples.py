"""rrule: what RFC 5545 says of examples, its own and those where readers are known to differ, by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ledger.authored.models import ScheduleDefinition
from projector.slots import schedule_of
from tests.projector.own_rrule import OwnRule
from tests.projector.test_slots_rrule import EPOCH, US, slots_between

# What the RFC's own examples give, written out, from the day in 1997 on which they begin.
EXAMPLES = [
    ("DAILY;COUNT=4", "0902", "970902 970903 970904 970905"),
    ("DAILY;INTERVAL=10;COUNT=5", "0902", "970902 970912 970922 971002 971012"),
    ("WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", "0902",
     "970902 970904 970916 970918 970930 971002 971014 971016"),
    ("WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "0805", "970805 970810 970819 970824"),
    ("WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "0805", "970805 970817 970819 970831"),
    ("MONTHLY;COUNT=6;BYDAY=1FR", "0905", "970905 971003 971107 971205 980102 980206"),
    ("MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", "0907",
     "970907 970928 971102 971130 980104 980125 980301 980329 980503 980531"),
    ("MONTHLY;COUNT=6;BYDAY=-2MO", "0922", "970922 971020 971117 971222 980119 980216"),
    ("MONTHLY;BYMONTHDAY=-3", "0928", "970928 971029 971128 971229 980129 980226"),
    ("MONTHLY;COUNT=10;BYMONTHDAY=1,-1", "0930",
     "970930 971001 971031 971101 971130 971201 971231 980101 980131 980201"),
    ("MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15", "0910",
     "970910 970911 970912 970913 970914 970915 990310 990311 990312 990313"),
    ("YEARLY;COUNT=4;BYMONTH=6,7", "0610", "970610 970710 980610 980710"),
    ("YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", "0101",
     "970101 970410 970719 000101 000409 000718 030101 030410 030719 060101"),
    ("YEARLY;BYDAY=20MO", "0519", "970519 980518 990517"),
    ("YEARLY;BYMONTH=3;BYDAY=TH", "0313", "970313 970320 970327 980305 980312 980319 980326"),
    ("MONTHLY;BYDAY=FR;BYMONTHDAY=13", "0902", "980213 980313 981113 990813 001013"),
    ("MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", "0913", "970913 971011 971108 971213 980110"),
    ("YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "0101", "971104 011106 051108"),
    ("MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "0904", "970904 971007 971106"),
    ("MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "0929", "970929 971030 971127 971230 980129"),
    # Days that a month does not have are no days.
    ("MONTHLY;BYMONTHDAY=15,30;COUNT=12", "1215", "971215 971230 980115 980130 980215 980315 980330"),
    ("MONTHLY", "0131", "970131 970331 970531 970731 970831"),
    ("YEARLY;BYMONTHDAY=29;BYMONTH=2", "0101", "000229 040229 080229"),
    # A list of weekdays is either of them, numbered and plain together.
    ("MONTHLY;BYDAY=1MO,-1FR,WE;UNTIL=19970930T000000", "0901", "970901 970903 970910 970917 970924 970926"),
    # No month has six Mondays, and no year 54.
    ("MONTHLY;BYDAY=6MO,53MO,-53MO,5MO", "0901", "970929 971229 980330 980629"),
    ("YEARLY;BYMONTH=12;BYDAY=53MO,5MO", "0901", "971229 011231 021230"),
    ("YEARLY;BYDAY=53MO", "0901", "011231 071231"),
    # A number of BYDAY counts within the month where BYMONTH stands, else within the year.
    ("YEARLY;BYMONTH=3;BYDAY=2MO", "0101", "970310 980309"),
    ("YEARLY;BYDAY=2MO", "0101", "970113 980112"),
    # A week's positions are those of the whole week, which may begin before the start.
    ("WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2", "0903", "970903 970910"),
    ("WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2", "0905", "970910 970917"),
    ("WEEKLY;BYDAY=SU,MO;BYSETPOS=1;WKST=SU", "0905", "970907 970914"),
    ("WEEKLY;BYDAY=SU,MO;BYSETPOS=1;WKST=MO", "0905", "970908 970915"),
    # A week over New Year is one week, cut by BYMONTH.
    ("WEEKLY;BYMONTH=1;BYDAY=MO,TH,SU;BYSETPOS=1", "1215", "980101 980105 980112 980119 980126"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "start", "days"), EXAMPLES)
def test_what_the_rfc_says_at_nine_in_the_morning(parts: str, start: str, days: str) -> None:
    expected = [datetime.strptime(f"{day}09 +0000", "%y%m%d%H %z") for day in days.split()]
    rule = {"rrule": f"RRULE:FREQ={parts}", "start": f"1997-{start[:2]}-{start[2:]}T09:00:00"}
    slots = schedule_of(ScheduleDefinition.model_validate(rule))
    assert slots_between(slots, expected[0] - timedelta(days=3000), expected[-1] + US) == expected
    assert slots.previous(expected[0]) is None
    assert [slots.previous(slot + US) for slot in expected] == expected
    walls = OwnRule(rule["rrule"], datetime.fromisoformat(rule["start"])).walls(datetime(2009, 1, 1))  # noqa: DTZ001
    assert [wall.replace(tzinfo=UTC) for wall, _ in zip(walls, expected, strict=False)] == expected


def test_positions_count_days_and_times_together() -> None:
    """The second time from the end of each month's last Monday and Friday, at 9:00 and 17:30."""
    rule = "RRULE:FREQ=MONTHLY;BYDAY=-1MO,-1FR;BYHOUR=9,17;BYMINUTE=0,30;BYSETPOS=-2,1"
    slots = schedule_of(ScheduleDefinition(rrule=rule, start="2026-01-26T12:00:00"))
    assert [str(slot)[:16] for slot in slots_between(slots, EPOCH, datetime(2026, 3, 31, tzinfo=UTC))] == [
        "2026-01-30 17:00",
        "2026-02-23 09:00",
        "2026-02-27 17:00",
        "2026-03-27 09:00",
        "2026-03-30 17:00",
    ]


def test_a_start_counts_only_if_the_rule_gives_it() -> None:
    """And COUNT counts what the rule gives from then on."""
    slots = schedule_of(
        ScheduleDefinition(rrule="RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2", start="2026-12-01T09:00:00")
    )
    found = slots_between(slots, EPOCH, datetime(2030, 1, 1, tzinfo=UTC))
    assert found == [datetime(2026, 12, 7, 9, tzinfo=UTC), datetime(2026, 12, 14, 9, tzinfo=UTC)]


def test_until_is_a_wall_time_and_takes_its_end() -> None:
    rule = "RRULE:FREQ=DAILY;UNTIL=20261203T090000"
    slots = schedule_of(ScheduleDefinition(rrule=rule, start="2026-12-01T09:00:00", timezone="Asia/Tokyo"))
    found = slots_between(slots, EPOCH, datetime(2030, 1, 1, tzinfo=UTC))
    assert found == [datetime(2026, 12, day, 0, tzinfo=UTC) for day in (1, 2, 3)]


def test_a_count_counts_wall_times_whatever_the_zone_makes_of_them() -> None:
    """02:30 on 14 March 2027 is missing in New York: a slot if shifted, else none, counted both times."""
    members = {
        "rrule": "RRULE:FREQ=DAILY;COUNT=3",
        "start": "2027-03-13T02:30:00",
        "timezone": "America/New_York",
    }
    far = datetime(2030, 1, 1, tzinfo=UTC)
    shifted = schedule_of(ScheduleDefinition.model_validate(members))
    assert [str(slot)[5:16] for slot in slots_between(shifted, EPOCH, far)] == [
        "03-13 07:30",
        "03-14 07:00",
        "03-15 06:30",
    ]
    skipped = schedule_of(ScheduleDefinition.model_validate(members | {"dst": {"gap": "skip"}}))
    assert [str(slot)[5:16] for slot in slots_between(skipped, EPOCH, far)] == ["03-13 07:30", "03-15 06:30"]


def test_rules_end_where_all_series_end() -> None:
    daily = schedule_of(ScheduleDefinition(rrule="RRULE:FREQ=DAILY", start="2199-12-30T00:00:00"))
    end = datetime(2200, 1, 1, tzinfo=UTC)
    assert slots_between(daily, EPOCH, datetime(2300, 1, 1, tzinfo=UTC)) == [
        end - timedelta(days=2),
        end - timedelta(days=1),
    ]
    assert daily.previous(datetime.max.replace(tzinfo=UTC)) == end - timedelta(days=1)
    late = schedule_of(ScheduleDefinition(rrule="RRULE:FREQ=DAILY;COUNT=9", start="9998-12-31T00:00:00"))
    assert late.next(EPOCH) is None
    assert late.previous(end) is None
