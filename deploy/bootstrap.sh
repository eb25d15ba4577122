#!/bin/sh
# Makes .venv and installs Fudaba into it: bootstrap.sh [extra]. Needs python3 (3.11 or newer) and pip; no root.
# Where a C compiler is, the rules of the games are compiled, but for developers (an extra is named), who change
# them; FUDABA_ACCELERATE=1 and =0 settle it.
set -eu
cd "$(dirname "$0")/.."
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "Fudaba needs Python 3.11 or newer; python3 is $(python3 --version)" >&2
  exit 1
}
# Debian's python3 has no ensurepip without the package python3-venv: then the pip outside installs into the venv.
if [ ! -x .venv/bin/python ]; then
  python3 -m venv .venv >/dev/null 2>&1 || { rm -rf .venv && python3 -m venv --without-pip .venv; }
fi
if .venv/bin/python -m pip --version >/dev/null 2>&1; then
  pip=".venv/bin/python -m pip"
else
  pip="python3 -m pip --python .venv/bin/python"
fi
if [ -z "${FUDABA_ACCELERATE:-}" ] && [ -z "${1:-}" ] && command -v "${CC:-cc}" >/dev/null; then
  FUDABA_ACCELERATE=1
fi
install() {
  $pip install --quiet --disable-pip-version-check --prefer-binary --editable ".${1:+[$1]}"
}
echo "installing into .venv (this takes a minute the first time) ..."
# What hinders compiling must not hinder installing; what hinders installing is said by the second try.
if [ "${FUDABA_ACCELERATE:-0}" != 1 ] || ! FUDABA_ACCELERATE=1 install "$@" 2>/dev/null; then
  FUDABA_ACCELERATE=0 install "$@"
fi
touch ".venv/ready${1:+-$1}"
