"""Wakes what is due and hands it over: claims, handlers, finishes, presence; a daemon or one pass."""

from dispatcher.loop import Dispatcher
from dispatcher.registry import Registry
from dispatcher.run import Run

__all__ = ["Dispatcher", "Registry", "Run"]
