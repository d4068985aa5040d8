"""A schedule shown before it is relied on: its words, its next slots, what clocks do to them, its cautions.

Pure like the slots: no database, no clock. `projector/commands/preview.py` prints it.
"""

from projector.preview.show import Line, Preview, preview

__all__ = ["Line", "Preview", "preview"]
