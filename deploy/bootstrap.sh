#!/bin/sh
# Makes .venv and installs Fudaba into it: bootstrap.sh [extra]. Needs python3 (3.11 or newer) and pip; no root.
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
echo "installing into .venv (this takes a minute the first time) ..."
$pip install --quiet --disable-pip-version-check --prefer-binary --editable ".${1:+[$1]}"
touch ".venv/ready${1:+-$1}"
