"""Slots of rules: the dates that RFC 5545 itself gives for its examples, and a few worked by hand in a zone.

A row: what it is about, the start, the rule, further members, how many are asked for after 1970, and the days (at the
time of the start), or whole instants in UTC.
"""

# ruff: noqa: E501 - a case is one line, however long
from __future__ import annotations

_TUESDAY = "1997-09-02T09:00:00"

RULES: tuple[tuple[str, str, str, str, int, str], ...] = (
    ("ten days", _TUESDAY, "FREQ=DAILY;COUNT=10", "", 11, "1997-09-02 1997-09-03 1997-09-04 1997-09-05 1997-09-06 1997-09-07 1997-09-08 1997-09-09 1997-09-10 1997-09-11"),
    ("until a day at midnight", "1997-12-20T09:00:00", "FREQ=DAILY;UNTIL=19971224T000000", "", 6, "1997-12-20 1997-12-21 1997-12-22 1997-12-23"),
    ("until is included", "1997-12-20T09:00:00", "FREQ=DAILY;UNTIL=19971222T090000", "", 4, "1997-12-20 1997-12-21 1997-12-22"),
    ("every other day", _TUESDAY, "FREQ=DAILY;INTERVAL=2", "", 4, "1997-09-02 1997-09-04 1997-09-06 1997-09-08"),
    ("every ten days, five times", _TUESDAY, "FREQ=DAILY;INTERVAL=10;COUNT=5", "", 6, "1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12"),
    ("weekly, ten times", _TUESDAY, "FREQ=WEEKLY;COUNT=10", "", 11, "1997-09-02 1997-09-09 1997-09-16 1997-09-23 1997-09-30 1997-10-07 1997-10-14 1997-10-21 1997-10-28 1997-11-04"),
    ("every other week", _TUESDAY, "FREQ=WEEKLY;INTERVAL=2;WKST=SU", "", 6, "1997-09-02 1997-09-16 1997-09-30 1997-10-14 1997-10-28 1997-11-11"),
    ("Tuesdays and Thursdays", _TUESDAY, "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", "", 11, "1997-09-02 1997-09-04 1997-09-09 1997-09-11 1997-09-16 1997-09-18 1997-09-23 1997-09-25 1997-09-30 1997-10-02"),
    ("three days of every other week", "1997-09-01T09:00:00", "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE,FR", "", 8, "1997-09-01 1997-09-03 1997-09-05 1997-09-15 1997-09-17 1997-09-19 1997-09-29 1997-10-01"),
    ("two days of every other week, eight times", _TUESDAY, "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", "", 9, "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16"),
    ("a week that starts on Monday", "1997-08-05T09:00:00", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "", 5, "1997-08-05 1997-08-10 1997-08-19 1997-08-24"),
    ("a week that starts on Sunday", "1997-08-05T09:00:00", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "", 5, "1997-08-05 1997-08-17 1997-08-19 1997-08-31"),
    ("the first Friday", "1997-09-05T09:00:00", "FREQ=MONTHLY;COUNT=10;BYDAY=1FR", "", 11, "1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02 1998-02-06 1998-03-06 1998-04-03 1998-05-01 1998-06-05"),
    ("the first and the last Sunday of every other month", "1997-09-07T09:00:00", "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", "", 11, "1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04 1998-01-25 1998-03-01 1998-03-29 1998-05-03 1998-05-31"),
    ("the Monday before the last", "1997-09-22T09:00:00", "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", "", 7, "1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16"),
    ("the third day from the end", "1997-09-28T09:00:00", "FREQ=MONTHLY;BYMONTHDAY=-3", "", 6, "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26"),
    ("the 2nd and the 15th", _TUESDAY, "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15", "", 11, "1997-09-02 1997-09-15 1997-10-02 1997-10-15 1997-11-02 1997-11-15 1997-12-02 1997-12-15 1998-01-02 1998-01-15"),
    ("the first and the last day", "1997-09-30T09:00:00", "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1", "", 11, "1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30 1997-12-01 1997-12-31 1998-01-01 1998-01-31 1998-02-01"),
    ("six days of every eighteenth month", "1997-09-10T09:00:00", "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15", "", 11, "1997-09-10 1997-09-11 1997-09-12 1997-09-13 1997-09-14 1997-09-15 1999-03-10 1999-03-11 1999-03-12 1999-03-13"),
    ("each Tuesday of every other month", _TUESDAY, "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU", "", 9, "1997-09-02 1997-09-09 1997-09-16 1997-09-23 1997-09-30 1997-11-04 1997-11-11 1997-11-18 1997-11-25"),
    ("June and July", "1997-06-10T09:00:00", "FREQ=YEARLY;COUNT=10;BYMONTH=6,7", "", 11, "1997-06-10 1997-07-10 1998-06-10 1998-07-10 1999-06-10 1999-07-10 2000-06-10 2000-07-10 2001-06-10 2001-07-10"),
    ("three months of every other year", "1997-03-10T09:00:00", "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3", "", 11, "1997-03-10 1999-01-10 1999-02-10 1999-03-10 2001-01-10 2001-02-10 2001-03-10 2003-01-10 2003-02-10 2003-03-10"),
    ("three days of every third year", "1997-01-01T09:00:00", "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", "", 11, "1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09 2000-07-18 2003-01-01 2003-04-10 2003-07-19 2006-01-01"),
    ("the twentieth Monday of a year", "1997-05-19T09:00:00", "FREQ=YEARLY;BYDAY=20MO", "", 3, "1997-05-19 1998-05-18 1999-05-17"),
    ("each Thursday of March", "1997-03-13T09:00:00", "FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "", 7, "1997-03-13 1997-03-20 1997-03-27 1998-03-05 1998-03-12 1998-03-19 1998-03-26"),
    ("Friday the 13th; the start is none", _TUESDAY, "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "", 5, "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13"),
    ("the Saturday behind the first Sunday", "1997-09-13T09:00:00", "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", "", 10, "1997-09-13 1997-10-11 1997-11-08 1997-12-13 1998-01-10 1998-02-07 1998-03-07 1998-04-11 1998-05-09 1998-06-13"),
    ("election days", "1996-11-05T09:00:00", "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "", 3, "1996-11-05 2000-11-07 2004-11-02"),
    ("the third of three weekdays", "1997-09-04T09:00:00", "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "", 4, "1997-09-04 1997-10-07 1997-11-06"),
    ("the working day before the last", "1997-09-29T09:00:00", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "", 7, "1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29 1998-02-26 1998-03-30"),
    ("the 30th of February is left out", "2007-01-15T09:00:00", "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "", 6, "2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30"),
    ("in New York, over the end of summer time", "1997-10-25T09:00:00", "FREQ=DAILY;COUNT=3", '"timezone":"America/New_York"', 4, "1997-10-25T13:00 1997-10-26T14:00 1997-10-27T14:00"),
    ("a wall time that is passed over", "2027-03-27T02:30:00", "FREQ=DAILY;COUNT=3", '"timezone":"Europe/Paris"', 4, "2027-03-27T01:30 2027-03-28T01:00 2027-03-29T00:30"),
    ("passed over and skipped, it still counts", "2027-03-27T02:30:00", "FREQ=DAILY;COUNT=3", '"timezone":"Europe/Paris","dst":{"gap":"skip"}', 3, "2027-03-27T01:30 2027-03-29T00:30"),
    ("a wall time shown twice, both", "2027-10-31T02:30:00", "FREQ=DAILY;COUNT=2", '"timezone":"Europe/Paris","dst":{"overlap":"both"}', 4, "2027-10-31T00:30 2027-10-31T01:30 2027-11-01T01:30"),
    ("days that are excluded still count", "2026-12-24T09:00:00", "FREQ=DAILY;COUNT=3", '"exclude":[{"on":"12-25"}]', 3, "2026-12-24 2026-12-26"),
    ("days before the start still count", "2026-12-24T09:00:00", "FREQ=DAILY;COUNT=3", '"starts_at":"2026-12-25T09:00:00Z"', 3, "2026-12-25 2026-12-26"),
)  # fmt: skip
