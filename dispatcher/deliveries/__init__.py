"""The ways in which a run reaches whoever does its work, each behind one small protocol."""
