"""Looks for what should be impossible, repairs it, and proves each time that it could have; and health."""
