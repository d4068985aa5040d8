"""The commands of the projector's room: tasks and their occurrences, as an operator asks for them."""

from projector.commands.again import backfill, rerun
from projector.commands.hints import hint, pause, resume
from projector.commands.looks import explain, history, upcoming
from projector.commands.preview import preview
from projector.commands.runs import cancel, due, finish, run_now
from projector.commands.task import task
from projector.commands.why import why_not

__all__ = [
    "backfill",
    "cancel",
    "due",
    "explain",
    "finish",
    "hint",
    "history",
    "pause",
    "preview",
    "rerun",
    "resume",
    "run_now",
    "task",
    "upcoming",
    "why_not",
]
