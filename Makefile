# make lab     set up, then open JupyterLab on the notebooks
# make test    set up, then run every check
# make site    set up, then build the documentation site in build/site
# Each makes .venv from requirements.lock on the first run and uses it again until the lock changes.

PYTHON ?= python3
LAB_ARGS ?=
TEST_JOBS ?= 2
SITE ?= build/site
SITE_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
START := 00_where_to_start.ipynb

# Figures are stored as data, without a copy of plotly.js and without a link to one.
export PLOTLY_RENDERER := plotly_mimetype
# Jupyter's newer folder layout; without this its older one warns.
export JUPYTER_PLATFORM_DIRS := 1
# Notebook kernels start slower with frozen modules under the debugger, and say so.
export PYDEVD_DISABLE_FILE_VALIDATION := 1

.PHONY: lab test setup lint types unit validate browser site bench fuzz java oracle notebooks lock clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

# JupyterLab refuses root, which is who one is in a container, unless told.
lab: setup
	$(BIN)/jupyter-lab $(if $(filter 0,$(shell id -u)),--allow-root) \
	  --ServerApp.root_dir=notebooks --LabApp.default_url=/lab/tree/$(START) $(LAB_ARGS)

test: lint types unit java validate browser
	@printf '\nEvery check passed.\n'

lint: setup
	@printf '\n== Style\n'
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup
	@printf '\n== Types\n'
	$(BIN)/mypy

unit: setup
	@printf '\n== Tests, vectors and doctests\n'
	$(BIN)/pytest -q -m 'not browser' -n $(TEST_JOBS)

# loadfile: the cells of a notebook must run in one process, in order.
validate: setup
	@printf '\n== Notebooks, run again and compared with what is stored\n'
	$(BIN)/pytest -q --nbval --nbval-sanitize-with tests/nbval_sanitize.cfg -n $(TEST_JOBS) --dist loadfile notebooks

browser: setup
	@printf '\n== Notebooks in a browser\n'
	$(BIN)/pytest -q -m browser -n $(TEST_JOBS) --dist loadfile tests/browser

# SITE_ARGS=--base-url=https://docs.example.org/rmqref/ gives each page its canonical address.
site: setup
	$(BIN)/python -m rmqref site build --to $(SITE) $(SITE_ARGS)

bench: $(VENV)/.bench
	@printf '\n== Benchmarks\n'
	$(BIN)/pytest -q -s -p no:xdist --benchmark-columns=min,median,rounds tests/benchmarks

# Three releases, so that it takes less than two minutes; without a JDK, or without its jars, it says so.
java: setup
	@printf '\n== The classes of published clients\n'
	$(BIN)/python -m tests.oracle 4.7.1 4.9.7 5.3.3 --seed 1 --cases 100 --or-skip

# make oracle RELEASE=5.3.3, RELEASE=all; SEED=7 makes fresh cases; AS=5.3.3 for a release that is not in the table yet.
RELEASE ?= all
oracle: setup
	$(BIN)/python -m tests.oracle $(RELEASE) $(if $(SEED),--seed $(SEED)) $(if $(AS),--as $(AS)) \
	  $(if $(filter all,$(RELEASE)),--table)

SECONDS ?= 240
FUZZED := tests/samples rmqref/logs rmqref/routes
# What it finds, and the inputs that it goes on from, are kept in build/fuzz.
fuzz: $(VENV)/.fuzz
	@printf '\n== Fuzzing the readers\n'
	@for reader in log route; do \
	  mkdir -p build/fuzz/$$reader && \
	  PYTHONPATH=. $(BIN)/python tests/fuzz/fuzz_readers.py $$reader -max_total_time=$(SECONDS) \
	    -dict=tests/fuzz/words.dict -artifact_prefix=build/fuzz/$$reader- build/fuzz/$$reader $(FUZZED) || exit 1; \
	done

# Stores the notebooks executed, byte for byte the same each time.
notebooks: setup
	$(BIN)/python tests/tools/execute_notebooks.py

setup: $(VENV)/.installed

# JupyterLab then neither asks about news nor looks for updates.
NO_ANNOUNCEMENTS := {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}

$(VENV)/.locked: requirements.lock
	@command -v $(PYTHON) >/dev/null \
	  || { echo "rmqref needs Python 3.11 or newer, and there is no $(PYTHON): apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "rmqref needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1): name another one with PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make virtual environments: apt-get install python3-venv"; exit 1; }
	@echo "Setting up $(VENV) (once, about half a minute)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --require-hashes --no-deps -r requirements.lock
	@touch $@

# (--no-deps above: the lock is complete, so there is nothing to resolve.)
# The package itself, editable: hatchling comes from the lock, so nothing unpinned is downloaded.
$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@mkdir -p $(VENV)/etc/jupyter/labconfig
	@echo '$(NO_ANNOUNCEMENTS)' > $(VENV)/etc/jupyter/labconfig/page_config.json
	@touch $@

$(VENV)/.bench: $(VENV)/.installed tests/benchmarks/requirements.lock
	@$(PIP) install --require-hashes --no-deps -r tests/benchmarks/requirements.lock
	@touch $@

$(VENV)/.fuzz: $(VENV)/.installed tests/fuzz/requirements.lock
	@$(PIP) install --require-hashes --no-deps -r tests/fuzz/requirements.lock
	@touch $@

# Needs uv. Takes the newest versions that pyproject.toml allows; the benchmarks' lock follows the main one.
COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --upgrade \
  --no-header --no-annotate --no-emit-index-url --quiet
# For a terminal, for matplotlib, or for a JupyterLab that is installed; jedi alone would take a quarter of the time until
# the first cell runs, and IPython completes names without it.
LITE_LEAVES_OUT := jedi parso prompt-toolkit wcwidth matplotlib-inline jupyterlab-widgets widgetsnbextension
lock:
	@command -v uv >/dev/null || { echo "make lock needs uv on the PATH: pip install uv"; exit 1; }
	$(COMPILE) --extra notebooks --extra site --group test -o requirements.lock >/dev/null
	uv pip compile rmqref/site/vendor/lite.in --python-version 3.14 --python-platform wasm32-pyodide2025 \
	  --generate-hashes --upgrade --no-header --no-annotate --no-emit-index-url --quiet \
	  $(LITE_LEAVES_OUT:%=--no-emit-package %) -o rmqref/site/vendor/lite.lock >/dev/null
	$(COMPILE) --group bench --constraints requirements.lock -o tests/benchmarks/requirements.lock >/dev/null
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --upgrade --no-header \
	  --no-annotate --no-emit-index-url --quiet --group fuzz -o tests/fuzz/requirements.lock >/dev/null

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
