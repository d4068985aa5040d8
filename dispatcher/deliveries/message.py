"""What a run says to those outside this process, and how their answers are read: the same for every kind."""

from __future__ import annotations

import json
from typing import cast

from dispatcher.outcome import Ending, returned
from dispatcher.run import Run
from ledger.facts import instant_text

# An answer of more than so many bytes is read no further.
ANSWER_MOST = 1 << 20
# So much of an answer is quoted in an error.
QUOTED_MOST = 500


def facts_of(run: Run) -> dict[str, object]:
    """The facts of a run: instants as text in UTC, `lateness` in seconds."""
    return {
        "tenant": run.tenant,
        "task": run.task,
        "key": str(run.key),
        "slot": instant_text(run.slot),
        "started": instant_text(run.started),
        "deadline": instant_text(run.deadline),
        "lateness": run.lateness.total_seconds(),
        "attempt": run.attempt,
        "wake": run.wake,
    }


def message_of(run: Run) -> dict[str, object]:
    """The facts and the payload: the body of a webhook, the argument of a Celery task."""
    return facts_of(run) | {"payload": run.payload}


def take(run: Run, answer: object) -> None:
    """Keep the breadcrumb that an answer leaves: the member `breadcrumb`, a text, of a JSON object."""
    if isinstance(answer, dict) and isinstance(answer.get("breadcrumb"), str):
        run.breadcrumb(answer["breadcrumb"])


def judged(run: Run, answer: object) -> Ending:
    """How a run ended by its answer, a JSON value: an object that says `"status": "failed"` is a failure, and
    its member `error` says why; all else is a success, and the run's result.
    """
    take(run, answer)
    if isinstance(answer, dict) and answer.get("status") == "failed":
        why = answer.get("error", answer)
        return Ending("failed", error=why if isinstance(why, str) else json.dumps(why, ensure_ascii=False))
    return returned(answer)


class NoJson(Exception):
    """The text is no JSON value."""


def read_json(text: str) -> object:
    """The JSON value of an answer. Raises `NoJson`."""
    try:
        return cast("object", json.loads(text, parse_constant=_no_number))
    except (ValueError, RecursionError) as error:
        raise NoJson(str(error)) from error


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is no number of JSON")


def quoted(text: str) -> str:
    """The beginning of a text from outside, for an error."""
    short = text if len(text) <= QUOTED_MOST else f"{text[:QUOTED_MOST]}…"
    return repr(short)
