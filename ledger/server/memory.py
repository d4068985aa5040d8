"""How much memory the server may take as its cache: a quarter of what there is, at most 1 GB."""

from __future__ import annotations

import os
from pathlib import Path

_MOST_MB = 1024
_LEAST_MB = 16
_GROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def cache_mb() -> int:
    """The size of shared_buffers in megabytes; a container's limit counts as its memory."""
    return cache_of(min([_machine_bytes(), *_group_bytes()]))


def cache_of(memory_bytes: int) -> int:
    """The cache for a machine of `memory_bytes`, in megabytes."""
    return max(_LEAST_MB, min(_MOST_MB, (memory_bytes >> 20) // 4))


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _group_bytes() -> list[int]:
    found = []
    for path in _GROUP_LIMITS:
        try:
            found.append(int(path.read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue  # no such kind of group here, or `max`: no limit
    return found
