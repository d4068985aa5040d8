# One door for everything a person does here; `make install` is a dependency of the rest.
PYTHON ?= python3
PG ?= 18
PY := .venv/bin/python

.PHONY: install demo test check bench soak conformance

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

install: .venv/.installed
