"""Python's collector of cycles, set for a process that makes much that lives for a moment.

A batch of five hundred runs makes tens of thousands of objects, nearly all of which go without the collector,
by their counts alone. At its usual pace it looks at them every seven hundred, again and again: measured, a
fifth of all that the dispatcher computes. A cycle that does arise is still found, within seconds under load.
"""

from __future__ import annotations

import gc

# So many more made than gone before the young are looked at; then every so many looks the next generation.
YOUNG, MIDDLE, OLD = 50_000, 10, 10


def ease() -> None:
    """For a daemon that has loaded what it needs: what is there now is not looked at again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
