"""Measurements: what the product does in a second, how late it is; and a judge of long runs."""
