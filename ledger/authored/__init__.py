"""The authored object: what a person sets on a task, read, folded and refused."""
