"""Moves of the sweep: each tenant is looked at, mended, drilled and judged in one transaction of its own."""
