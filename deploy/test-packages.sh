#!/bin/sh
# Installs what only the tests need and pip cannot bring: PostgreSQL, bubblewrap, Chromium, nginx, Node and a
# Redis with TLS. Without root, sudo or apt it installs nothing: the tests then name the groups that could not run.
set -eu
missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
command -v node >/dev/null 2>&1 || missing="$missing nodejs"
command -v redis-server >/dev/null 2>&1 || command -v redis-check-rdb >/dev/null 2>&1 || missing="$missing redis-tools"
[ -n "$missing" ] || exit 0
command -v apt-get >/dev/null 2>&1 || exit 0
if [ "$(id -u)" = 0 ]; then
  sudo=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  sudo="sudo -n"
else
  exit 0
fi
echo "installing$missing with apt ..."
$sudo apt-get update -qq
# shellcheck disable=SC2086  # a list of packages
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
