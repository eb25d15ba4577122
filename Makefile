# Every target works in .venv, which it makes when missing.
.PHONY: demo test test-all bench golden docs lint clean

PYTHON = .venv/bin/python

demo: .venv/ready
	.venv/bin/fudaba demo

test: .venv/ready-dev
	deploy/test-packages.sh
	$(PYTHON) -m pytest -n 2 --dist loadfile -m "not slow"

test-all: .venv/ready-dev
	deploy/test-packages.sh
	$(PYTHON) -m pytest -n 2 --dist loadfile

lint: .venv/ready-dev
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

golden: .venv/ready-dev
	PYTHONPATH=.:tests $(PYTHON) -m support.playthrough

clean:
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis build *.egg-info

.venv/ready: pyproject.toml deploy/bootstrap.sh
	deploy/bootstrap.sh

.venv/ready-dev: pyproject.toml deploy/bootstrap.sh
	deploy/bootstrap.sh dev
	touch .venv/ready
