# `make` alone lists the targets. A fresh machine needs Python 3.11 or newer, make and a package registry.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
WORKERS ?= 2
PREFIX ?= /opt/pbem
BIN := .venv/bin
STAMP := .venv/.stamp
LOCKS := requirements/bootstrap.txt requirements/dev.txt
COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z.-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z.-]+):.*## /\1\t/' | expand -t 12

.PHONY: setup
setup: $(STAMP) ## make .venv from the locked requirements, with pbem in it
	@$(if $(filter setup,$(MAKECMDGOALS)),echo 'Ready. Now: make try',true)

# The editable install only has to be repeated when pyproject changes, the tools when a lock does;
# both together take seconds, so one stamp stands for the two. All is compiled at once: commands and tests are as fast
# the first time as later. pytest compiles tests in its own way, so it collects them once.
$(STAMP): $(LOCKS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "pbem needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo 'not there')." >&2; \
	    echo "Name another one: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/uv pip sync --quiet --compile-bytecode --require-hashes requirements/dev.txt
	VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q -j 0 pbem
	@$(BIN)/pytest --collect-only -qq > /dev/null || echo 'Some tests cannot be collected: see .venv/bin/pytest --collect-only'
	touch $@

# What a server runs on and nothing that only its makers need; the builder is thrown away. Nothing in it points back here.
# All is compiled: the server's user may not write there, and would compile it again at each command.
.PHONY: install
install: ## for a server: pbem and what it needs to run, into PREFIX (/opt/pbem); EXTRAS=1 for PostgreSQL, beacon, DKIM, maps, PDF
	rm -rf build/install && mkdir -p build/install
	$(PYTHON) -m venv build/install/tools
	$(PYTHON) -m venv $(PREFIX)
	build/install/tools/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	build/install/tools/bin/uv pip sync --quiet --python $(PREFIX)/bin/python --compile-bytecode --require-hashes requirements/$(if $(EXTRAS),extras,runtime).txt
	build/install/tools/bin/python -m hatchling build -t wheel -d build/install
	build/install/tools/bin/uv pip install --quiet --python $(PREFIX)/bin/python --compile-bytecode --no-deps --no-index build/install/*.whl
	rm -rf build/install
	$(PREFIX)/bin/pbem --version

.PHONY: try
try: setup ## play against a bot in the browser, everything on this machine; SCENARIO=name
	$(BIN)/pbem try $(SCENARIO)

.PHONY: demo
demo: setup ## play a whole game by mail on this machine; TURNS=3 OUT=folder VERBOSE=1 GAME=name SCENARIO=name WAR=1
	$(BIN)/pbem demo $(if $(GAME),--game $(GAME)) $(if $(SCENARIO),--scenario $(SCENARIO)) $(if $(WAR),--war $(if $(filter 1,$(WAR)),brigades,$(WAR))) $(if $(TURNS),--turns $(TURNS)) $(if $(OUT),--out $(OUT)) $(if $(VERBOSE),--verbose)

.PHONY: demo-event
demo-event: setup ## play a whole tournament by mail on a moved clock, nobody to help; SEED=1 OUT=folder
	$(BIN)/pbem demo-event $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out $(OUT))

.PHONY: events
events: setup ## tournaments of all formats by many seeds, without a network: is anything stuck or lost? N=200 FIRST=1 PLANT=name
	$(BIN)/python -m tests.tournaments.seeds --seeds $(or $(N),200) --first $(or $(FIRST),1) --workers $(WORKERS) $(if $(PLANT),--plant $(PLANT))

.PHONY: season
season: setup ## seasons of two cups, a league and a team event at once, with silent pairs and an outage; N=30 FIRST=1 PLANT=name
	$(BIN)/python -m tests.tournaments.seeds --season --seeds $(or $(N),30) --first $(or $(FIRST),1) --workers $(WORKERS) $(if $(PLANT),--plant $(PLANT))

.PHONY: check
check: setup ## style, types and the import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Tests start some hundred processes; where bytecode is not kept each would compile all it imports, a second or two.
# Each worker begins with a half of its own, so that what a module makes for its tests is made by one of them.
.PHONY: test
test: export PYTHONDONTWRITEBYTECODE :=
test: setup check ## check, then the tests of the first tier, which need nothing but Python; WORKERS=2
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -q

.PHONY: test-full
test-full: export PYTHONDONTWRITEBYTECODE :=
test-full: setup ## the second tier: processes, wheels, browser, mail servers, PostgreSQL, whole tournaments
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -q -m "full and not long"

.PHONY: test-long
test-long: export PYTHONDONTWRITEBYTECODE :=
test-long: setup ## the tests that take long: whole games by mail, bots' games, forms and odds at length; before a release
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -q -m long

.PHONY: test-deploy
test-deploy: setup ## the guides of operators on a Debian with systemd in a container, as root; what cannot start is named
	$(BIN)/pytest -q -rs -m deploy tests/deploy

.PHONY: fuzz
fuzz: setup ## games between bots, every phase held against the laws; N=2000 FIRST=0 GAME=name
	$(BIN)/python -m tests.fuzz --games $(or $(N),2000) --first $(or $(FIRST),0) --workers $(WORKERS) $(if $(GAME),--game $(GAME))

.PHONY: forms
forms: setup ## order forms in positions of bots' games: may all be sent, is all there? N=2000 FIRST=0
	$(BIN)/python -m tests.games.forms --positions $(or $(N),2000) --first $(or $(FIRST),0)

.PHONY: odds
odds: setup ## odds of order sets in positions of bots' games, against all dice paths or plays. N=200 FIRST=0
	$(BIN)/python -m tests.games.odds --sets $(or $(N),200) --first $(or $(FIRST),0)

.PHONY: fuzz-mail
fuzz-mail: setup ## letters changed at random: those that reach new code, then those that cost most; N=1000000 COSTS=40
	$(BIN)/python -m tests.fuzz_mail --runs $(or $(N),100000)
	$(BIN)/python -m tests.costly_letters --runs $(or $(COSTS),40)

.PHONY: fuzz-server
fuzz-server: setup ## letters, rulings, outages and kills in any order, held against a small model; N=200 FIRST=1
	$(BIN)/python -m tests.machine --machines $(or $(N),200) --seed $(or $(FIRST),1)

.PHONY: verify-corpus
verify-corpus: setup ## both verifiers over every hostile letter, in bounded time and memory, and every byte flipped; TIMES=10 GAME=folder
	$(BIN)/python -m tests.audit.hostile_letters
	$(BIN)/python -m tests.audit.test_flips
	$(BIN)/python -m tests.verifier.corpus $(or $(TIMES),10) $(if $(GAME),--game $(GAME))

.PHONY: drill
drill: setup ## kill the daemon again and again while letters come over bad lines: is any lost? KILLS=320 SERVERS=real WAY=lmtp PLANT=name
	$(BIN)/python -m tests.drill --kills $(or $(KILLS),320) $(if $(LETTERS),--letters $(LETTERS)) $(if $(SERVERS),--servers $(SERVERS)) $(if $(WAY),--in $(WAY)) $(if $(PLANT),--plant $(PLANT))

.PHONY: drill-workers
drill-workers: setup ## workers on one PostgreSQL, one killed each second, while many games fall due: is all done once? GAMES=1000 HANDS=4; EVENT=40 for a tournament
	$(BIN)/python -m tests.workers --games $(or $(GAMES),1000) --workers $(or $(HANDS),4) $(if $(EVENT),--event $(EVENT))

.PHONY: soak
soak: export PYTHONDONTWRITEBYTECODE :=
soak: setup ## half a year of a server in an hour, from a database of 1.0.0 on: is anything lost, does anything grow? WEEKS=26 GAMES=500 SEED=1 OUT=folder PLANT=leak|scan|lost
	$(BIN)/python -m tests.soak --weeks $(or $(WEEKS),26) --games $(or $(GAMES),500) --seed $(or $(SEED),1) $(if $(OUT),--out $(OUT)) $(if $(PLANT),--plant $(PLANT))

.PHONY: mutants
mutants: setup ## change every number and ruling of the games and tournaments by one: does a case notice? GAME=name
	$(BIN)/python -m tests.mutation --workers $(WORKERS) $(if $(GAME),--game $(GAME))

.PHONY: faults
faults: setup ## plant small faults in all packages: does the first tier catch 85 % of what both tiers catch? N=100 SEED=1 PATIENCE=60 ONLY=pbem/engine
	$(BIN)/python -m tests.faults --faults $(or $(N),100) --seed $(or $(SEED),1) --patience $(or $(PATIENCE),60) --only $(or $(ONLY),pbem) --workers $(WORKERS)

.PHONY: bench
bench: setup ## ours beside the peers, in one table; STRICT=1 fails on a missed target
	$(BIN)/python -m benchmarks

.PHONY: bench-quick
bench-quick: setup ## the same with shorter runs, in some five minutes
	$(BIN)/python -m benchmarks --quick

.PHONY: balance
balance: setup ## every bot against the bot forward, in each seat of each battle; into docs/balance.md; N=200 SLOW=40 KEEP=FILE
	$(BIN)/python -m benchmarks.levels --games $(or $(N),200) --slow $(or $(SLOW),40) --workers $(WORKERS) $(if $(KEEP),--keep $(KEEP)) --write

.PHONY: examples
examples: setup ## run the rule cases that the rulebooks show and write them anew
	$(BIN)/python -m tests.games.rule_examples

.PHONY: golden
golden: setup ## make the golden turns and the pictures for eyes anew, and say how the commit ends
	$(BIN)/python -m tests.pictures.shown
	$(BIN)/python -m tests.golden

.PHONY: contract
contract: setup ## compare letters, help, JSON, tables and all else that is frozen with what was kept; WRITE=1 COMMIT=A..B
	$(BIN)/python -m tests.contract $(if $(WRITE),--write) $(if $(COMMIT),--commit $(COMMIT))

.PHONY: verify.pyz
verify.pyz: setup ## one file for players: letters checked and rules run again with bare Python
	$(BIN)/pbem verify --pyz $@

.PHONY: man
man: setup ## write the manual page docs/pbem.1 anew, from the help of the commands
	$(BIN)/python -m tests.pages.manual > docs/pbem.1

.PHONY: docs
docs: setup ## the documents as a site, into build/site
	$(BIN)/python -m mkdocs build --quiet

.PHONY: dist
dist: setup ## wheel and source distribution, into build/dist
	rm -rf build/dist
	$(BIN)/python -m hatchling build -t wheel -t sdist -d build/dist

.PHONY: licences
licences: setup ## what a server runs on, with licences; fails on one that is not allowed
	$(BIN)/python -m tests.house.packages licences

.PHONY: sbom
sbom: setup ## the same as a bill of materials (CycloneDX), into build/sbom.json
	$(BIN)/python -m tests.house.packages sbom build/sbom.json

.PHONY: lock
lock: setup ## write the requirement files anew from pyproject; UPGRADE=1 takes newer releases
	$(BIN)/$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml -o requirements/runtime.txt
	$(BIN)/$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --group dev -o requirements/dev.txt
	$(BIN)/$(COMPILE) pyproject.toml --extra postgresql --extra lmtp --extra beacon --extra dkim --extra pictures --extra pdf --constraint requirements/dev.txt -o requirements/extras.txt
	printf 'hatchling\nuv\n' | $(BIN)/$(COMPILE) - --constraint requirements/dev.txt -o requirements/bootstrap.txt
	printf 'diplomacy==1.1.2\npydip==0.1.8\n' | $(BIN)/$(COMPILE) - -o benchmarks/requirements-peers.txt
	@! grep -nE 'https?:|index-url|find-links' requirements/*.txt benchmarks/*.txt || { echo "a lock names a host" >&2; exit 1; }

.PHONY: structure
structure: setup ## print how large the package is and how it is cut, as docs/architecture.md shows it
	$(BIN)/python -m tests.house.structure

.PHONY: clean
clean: ## remove .venv, caches and what was built
	rm -rf .venv build dist mutants benchmarks/.peers .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.* htmlcov
	find pbem tests -name __pycache__ -type d -prune -exec rm -rf {} +
