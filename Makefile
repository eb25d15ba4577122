# Every target works in .venv, which it makes when missing.
.PHONY: demo fast pure test test-all chaos bench golden docs lint audit lock clean

PYTHON = .venv/bin/python

# Hundreds of processes import the same files, which are compiled once, even where the environment forbids it.
export PYTHONDONTWRITEBYTECODE =

demo: .venv/ready
	.venv/bin/fudaba demo

# Compiles the rules of the games for this clone, as the first `make demo` does where a C compiler is; without one
# they stay pure. `make pure` undoes it.
fast: .venv/ready
	FUDABA_ACCELERATE=1 deploy/bootstrap.sh

pure:
	find engine -name '*.so' -delete
	rm -f engine/compiled.txt

test: .venv/ready-dev
	deploy/test-packages.sh
	$(PYTHON) -m pytest -n 4 --dist loadfile --no-loadscope-reorder -m "not slow and not chaos"

test-all: .venv/ready-dev
	deploy/test-packages.sh
	$(PYTHON) -m pytest -n 4 --dist loadfile --no-loadscope-reorder -m "not chaos" --hypothesis-profile=wide

# Everything is killed, silenced and starved, and then all of it in a storm; STORM is its length in seconds.
STORM = 300
chaos: .venv/ready-dev
	deploy/test-packages.sh
	$(PYTHON) -m pytest -n 2 --dist loadfile -rA --storm-seconds $(STORM) tests/chaos

lint: .venv/ready-dev
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# What speed is measured by; the other programs of the folder measure bots and standings. BENCH=--json for JSON.
SPEED = $(wildcard tests/benchmarks/*_speed.py tests/benchmarks/runtimes.py)

bench: .venv/ready-dev
	for program in $(SPEED); do PYTHONPATH=.:tests $(PYTHON) $$program $(BENCH) || exit 1; done

docs: .venv/ready-dev
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build

golden: .venv/ready-dev
	PYTHONPATH=.:tests $(PYTHON) -m support.playthrough

# Fails on a package with a known vulnerability; passes, and says so, while the advisory service cannot be reached.
audit: .venv/ready-dev
	$(PYTHON) deploy/audit.py

# Renews what the image installs: every package with its hashes, for every Python and machine.
lock: .venv/ready-dev
	.venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --upgrade \
	  --no-header --no-emit-index-url --no-annotate --quiet -o deploy/requirements.txt

clean:
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis build *.egg-info

.venv/ready: pyproject.toml deploy/bootstrap.sh
	deploy/bootstrap.sh

.venv/ready-dev: pyproject.toml deploy/bootstrap.sh
	deploy/bootstrap.sh dev
	touch .venv/ready
