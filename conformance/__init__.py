"""The judge: a specification, vectors, and a runner that holds any implementation to them.

It imports nothing of the packages that it judges. An implementation under test is a program that answers
JSON lines, whatever language it is written in; `SPECIFICATION.md` says what it answers.
"""
