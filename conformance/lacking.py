"""What an implementation may lack and still conform: the slots of `rrule`, and nothing else.

It says so with `not_implemented`, in the place of an answer that is no refusal; that is counted apart.
"""

from __future__ import annotations

from conformance.values import NotJson, read

NOT_IMPLEMENTED = {"error": "not_implemented", "fact": "slots"}


def may_lack(request: bytes) -> bool:
    """Whether the request asks for slots of a schedule that is an `rrule`, or has one in its `any`."""
    try:
        asked = read(request)
    except NotJson:
        return False
    if not isinstance(asked, dict) or asked.get("op") != "slots":
        return False
    schedule = asked.get("schedule")
    elements = schedule.get("any") if isinstance(schedule, dict) else None
    return any(
        isinstance(part, dict) and part.get("rrule") is not None
        for part in (schedule, *(elements if isinstance(elements, list) else ()))
    )
