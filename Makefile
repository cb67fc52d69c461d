# make run | test | bench | numbers | papers: each sets up .venv where needed. Needs Python 3.11 or newer with venv, and make.
# make papers takes FULL=1 (the papers' own extent, hours) and DATA=FOLDER (where their data are).
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test bench numbers papers clean

run: .venv/installed
	$(BIN)/netsim run rings

test: .venv/installed-for-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

bench: .venv/installed
	$(BIN)/python -m benchmarks.bench

numbers: .venv/installed
	$(BIN)/python -m benchmarks.numbers

papers: .venv/installed
	$(BIN)/python -m benchmarks.papers $(if $(FULL),--full) $(if $(DATA),--data $(DATA))

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "netsim needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

.venv/installed-for-tests: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build *.egg-info
