# Every target sets up what it needs: a fresh clone and Python 3.11 or newer are enough.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help setup compile demo test fast lint format types docs reference acceptance bench soak screenshots wheel-matrix check clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: compile  ## make .venv with the package (editable) and the developer tools

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11; try: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Without byte-code a command takes four times as long, and PYTHONDONTWRITEBYTECODE keeps it from being left behind.
compile: $(READY)
	@$(BIN)/python -m compileall -q loopx

demo: compile  ## the worked example on a throw-away project, told step by step
	@$(BIN)/loopx demo

test: compile  ## the whole suite
	$(PYTEST) -n 2

fast: compile  ## the pure tests alone, in seconds
	$(PYTEST) -q tests/unit

lint: $(READY)  ## ruff, and the direction of the imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/lint-imports

format: $(READY)  ## lay the code out and mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(READY)  ## mypy, strict
	$(BIN)/mypy

docs: compile  ## links resolve, generated pages are fresh, and the site builds without a warning
	$(BIN)/python -m tools.check_links
	$(BIN)/python -m tools.gen_reference --check
	$(BIN)/python -m mkdocs build --quiet --strict

reference: compile  ## write the generated pages again
	$(BIN)/python -m tools.gen_reference

acceptance: compile  ## the black-box checks of ../shared, where it is present
	$(BIN)/python -m tools.acceptance

bench: compile  ## whole-process times and claim throughput, as ratios to their yardsticks
	$(BIN)/python -m benchmarks.commands
	$(BIN)/python -m benchmarks.claims
	$(BIN)/python -m benchmarks.dashboard
	$(BIN)/python -m benchmarks.resident

soak: compile  ## the property tests, simulations and races with many more examples
	$(PYTEST) -n 2 --hypothesis-profile=soak

screenshots: compile  ## pictures of the dashboard, to be looked at (needs a chromium)
	$(BIN)/python -m tools.screenshots

wheel-matrix: $(READY)  ## the wheel with each extra, in fresh environments of every Python that is there
	$(BIN)/python -m tools.wheel_matrix

check: lint types test acceptance docs  ## all that must be green before a change lands

clean:  ## remove what the targets made
	rm -rf $(VENV) build dist benchmarks/results .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find loopx tests tools benchmarks -name __pycache__ -prune -exec rm -rf {} +
