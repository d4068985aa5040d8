"""The commands of the projector's room: tasks and their occurrences, as an operator asks for them."""

from projector.commands.looks import explain, history, upcoming
from projector.commands.runs import cancel, due, finish, run_now
from projector.commands.task import task

__all__ = ["cancel", "due", "explain", "finish", "history", "run_now", "task", "upcoming"]
