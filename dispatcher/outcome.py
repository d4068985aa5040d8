"""How a handler ended, as the ledger keeps it: a JSON value, or the text of what went wrong."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import Literal

from ledger.states import Outcome

# A text so long is cut when it is kept; no use in writing a traceback that is longer.
_SHOWN_MOST = 200


@dataclass(frozen=True, slots=True)
class Ending:
    """What is reported of a run: `result` is JSON text, `error` what a person reads.

    `how`: `ended`; `gone`, the agent that it was for does not exist any more, a failure that no retry mends;
    or `handed off`: it goes on elsewhere and is finished by its key, so nothing is reported of it here.
    """

    outcome: Outcome
    result: str | None = None
    error: str | None = None
    how: Literal["ended", "gone", "handed off"] = "ended"


HANDED_OFF = Ending("succeeded", how="handed off")
_NOTHING = Ending("succeeded")


def returned(result: object) -> Ending:
    """A handler's answer. One that is no JSON is a failure that says so: nothing else could be kept."""
    if result is None:
        return _NOTHING
    try:
        return Ending("succeeded", json.dumps(result, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        if inspect.iscoroutine(result):
            result.close()
            return Ending(
                "failed",
                error="the handler returned a coroutine; register the coroutine function itself",
            )
        return Ending(
            "failed",
            error=f"the handler returned {_shown(result)}, which is not JSON ({error}); "
            "return None, or what json.dumps takes",
        )


def raised(error: BaseException) -> Ending:
    """A handler's exception, by its class and text."""
    try:
        text = str(error)
    except Exception as second:  # noqa: BLE001 - a handler's own exception class may do anything
        text = f"(its text cannot be had: {type(second).__name__})"
    name = type(error).__name__
    return Ending("failed", error=f"{name}: {text}" if text else name)


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a handler's own class may do anything
        text = "something"
    short = text if len(text) <= _SHOWN_MOST else f"{text[:_SHOWN_MOST]}…"
    return f"{short} ({type(value).__name__})"
