# `make demo` and `make test` work on a bare machine: each makes its virtual environment first.
# .venv has the library, its tests and its demo; .bench-venv has the library beside jax and autograd.

VENV ?= .venv
BENCH_VENV ?= .bench-venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(BENCH_VENV)/.installed
PACKAGES := effects handlers lowering
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help venv test check demo bench fmt clean lint types doctest

help:
	@echo 'make demo    train a classifier of handwritten digits, with plots in out/'
	@echo 'make test    everything that has to hold: style, types, doctests, tests'
	@echo 'make check   the same without the slow tests'
	@echo 'make bench   measure effax against jax, autograd and NumPy (BENCH="--quick --only eager" narrows it)'
	@echo 'make fmt     format and fix what ruff can fix'
	@echo 'make clean   remove environments, caches and outputs'

venv: $(STAMP)

$(STAMP): constraints.txt pyproject.toml .ci/new-venv
	.ci/new-venv $(VENV) dev,demo
	@touch $@

$(BENCH_STAMP): constraints.txt pyproject.toml .ci/new-venv
	.ci/new-venv $(BENCH_VENV) bench
	@touch $@

lint: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: venv
	$(BIN)/mypy

doctest: venv
	$(BIN)/pytest -q --doctest-modules $(PACKAGES)

test: lint types doctest
	$(BIN)/pytest -q -n $(WORKERS)

check: lint types doctest
	$(BIN)/pytest -q -n $(WORKERS) -m 'not slow'

demo: venv
	$(BIN)/python examples/digits.py

bench: $(BENCH_STAMP)
	$(BENCH_VENV)/bin/python -m benchmarks $(BENCH)

fmt: venv
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(BENCH_VENV) build dist out *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
