"""Requests, right and wrong, for the vectors and for the fuzz. Nothing in here knows an answer."""
