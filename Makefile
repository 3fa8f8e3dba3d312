# `make demo` and `make test` work on a bare machine: each makes its virtual environment first.
# .venv has the library, its tests and its demo; .bench-venv has the library beside jax and autograd.
# `make consumers` runs SciPy's own tests, scikit-learn and others on arrays of effax, in an environment of its own.
# `make array-api` runs the Array API's own tests, which are not part of this repository; SUITE is a folder that has them.

VENV ?= .venv
BENCH_VENV ?= .bench-venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CONSUMERS_VENV ?= build/consumers-venv
CONSUMERS_STAMP := $(CONSUMERS_VENV)/.installed
CONSUMERS ?=
BENCH_STAMP := $(BENCH_VENV)/.installed
PACKAGES := effects handlers lowering
WORKERS ?= auto
SELECTED ?=
SUITE_STAMP := $(VENV)/.installed-array-api
SUITE ?= build/array-api-tests
SUITE_REVISION := 55fcc60179efa2680ddd6cd926ddf17b83530e2b
EXAMPLES ?= 200

# Tests start a hundred processes, each of which would translate the library anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help venv test tests check demo bench fmt clean lint types doctest array-api consumers site gallery readme-figures

help:
	@echo 'make demo    train a classifier of handwritten digits, with plots in out/'
	@echo 'make test    everything that has to hold: style, types, doctests, tests'
	@echo 'make check   the same without the slow tests and the doctests'
	@echo 'make bench   measure effax against jax, autograd and NumPy (BENCH="--quick --only eager" narrows it)'
	@echo 'make readme-figures   the same for the table in README.md, which is written anew (BENCH=--quick)'
	@echo 'make array-api   run the test suite of the Array API standard (SUITE=folder where it is there already)'
	@echo 'make consumers   count what SciPy, scikit-learn, einops and xarray do on effax (CONSUMERS="scipy fft" narrows it)'
	@echo 'make site    the guides and a reference of every public name, as pages in build/site'
	@echo 'make gallery   draw what the examples and the tutorial compute, for docs/gallery.md and its lessons'
	@echo 'make fmt     format and fix what ruff can fix'
	@echo 'make clean   remove environments, caches and outputs'

venv: $(STAMP)

$(STAMP): constraints.txt pyproject.toml .ci/build_backend.py .ci/new-venv
	.ci/new-venv $(VENV) dev,demo
	@touch $@

$(BENCH_STAMP): constraints.txt pyproject.toml .ci/new-venv
	.ci/new-venv $(BENCH_VENV) bench
	@touch $@

$(CONSUMERS_STAMP): constraints.txt pyproject.toml .ci/new-venv
	.ci/new-venv $(CONSUMERS_VENV) consumers
	@touch $@

$(SUITE_STAMP): $(STAMP)
	.ci/new-venv $(VENV) dev,demo,array-api
	@touch $@

$(SUITE):
	git clone https://github.com/data-apis/array-api-tests $@
	git -C $@ checkout $(SUITE_REVISION)
	git -C $@ submodule update --init --depth 1

lint: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: venv
	$(BIN)/mypy

doctest: venv
	$(BIN)/pytest -q --doctest-modules $(PACKAGES)

# Types are checked beside the tests: neither uses all cores at all times. Neighbours share what they compile.
test: lint
	$(MAKE) --jobs=3 --output-sync=line types doctest tests

check: lint
	$(MAKE) --jobs=2 --output-sync=line types tests SELECTED="-m 'not slow'"

tests: venv
	$(BIN)/pytest -q -n $(WORKERS) --dist worksteal $(SELECTED)

array-api: $(SUITE_STAMP) | $(SUITE)
	cd $(SUITE) && PYTHONPATH=$(CURDIR) ARRAY_API_TESTS_MODULE=effects $(abspath $(BIN))/python -m pytest -q -W ignore \
		-p no:cacheprovider --disable-deadline --max-examples $(EXAMPLES) array_api_tests

consumers: $(CONSUMERS_STAMP)
	SCIPY_ARRAY_API=1 PYTHONPATH=$(CURDIR) $(CONSUMERS_VENV)/bin/python -m tests.consumers $(CONSUMERS)

demo: venv
	$(BIN)/python examples/digits.py

bench: $(BENCH_STAMP)
	$(BENCH_VENV)/bin/python -m benchmarks $(BENCH)

readme-figures: $(BENCH_STAMP)
	$(BENCH_VENV)/bin/python -m benchmarks --readme $(BENCH)

fmt: venv
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# mkdocs announces a successor of itself in each run; its warnings about these pages are errors.
site: venv
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=$(CURDIR) $(BIN)/python -m mkdocs build --quiet --strict --config-file .ci/site/mkdocs.yml
	@echo 'build/site/index.html'

# Settings that are read once: an example wants SciPy's, a lesson several devices.
gallery: venv
	SCIPY_ARRAY_API=1 PYTHONPATH=$(CURDIR) $(BIN)/python -m examples.gallery
	EFFAX_CPU_DEVICES=8 PYTHONPATH=$(CURDIR) $(BIN)/python -m examples.lessons

clean:
	rm -rf $(VENV) $(BENCH_VENV) build dist out *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
