# One door for everything a person does in a checkout. Each target installs what it needs first.
#
#   make install       a .venv with everything for development        PYTHON=python3.12 picks the Python
#   make demo          the product at work, on a server of its own
#   make test          the tests on a real Postgres                   PG=15 or 18, JOBS=1, ARGS=... for pytest
#   make check         ruff and mypy
#   make conformance   the product and the second implementation against the vectors
#   make bench         throughput beside the raw limit, where the time goes, lag, and slots beside other libraries
#   make judge         a minute under kills, edits and sweeps, and whether each slot ran once
#   make soak          the random tests, with many more rounds, the judge's minute for SOAK_S=600 seconds, and an upgrade
PYTHON ?= python3
PG ?= 18
# So many processes share the tests, file by file, each with a server of its own.
JOBS ?= 2
ARGS ?=
SOAK_S ?= 600
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: install demo test check conformance bench judge soak clean

# The build backend comes from the same pins as all else, so the editable install builds without isolation.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11: make install PYTHON=python3.11 (or later)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make environments: install its venv package (Debian: python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt hatchling editables
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		--no-build-isolation -e '.[dev]'
	@touch $@

install: $(INSTALLED)

demo: $(INSTALLED)
	$(BIN)/ledger demo

test: $(INSTALLED)
	$(BIN)/python -m pytest --pg=$(PG) -n $(JOBS) --dist loadfile $(ARGS)

check: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# Printing the second implementation's command also installs what it needs.
conformance: $(INSTALLED)
	$(BIN)/ledger conformance run
	second="$$($(BIN)/python -m conformance.second)" && $(BIN)/ledger conformance run --against "$$second"

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.where
	$(BIN)/python -m benchmarks.lag
	$(BIN)/python -m benchmarks.slots

judge: $(INSTALLED)
	$(BIN)/python -m benchmarks.soak

soak: $(INSTALLED)
	LEDGER_HISTORIES=10000 LEDGER_ARCHIVE_HISTORIES=3000 $(BIN)/python -m pytest --pg=$(PG) -m counted $(ARGS)
	$(BIN)/python -m conformance.fuzz --requests 1000000
	$(BIN)/python -m benchmarks.soak --seconds $(SOAK_S)
	$(BIN)/python -m benchmarks.upgrade

clean:
	rm -rf .venv .run .mypy_cache .ruff_cache .pytest_cache .hypothesis
