#!/usr/bin/env bash
# Installs the Debian packages that are missing and nothing else.
#   install_dependencies.sh            what the programs and the examples need (dependencies.txt)
#   install_dependencies.sh --tests    also what the tests need (dependencies_tests.txt)
#   install_dependencies.sh PACKAGE... these packages
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

case "${1:-}" in
  "") mapfile -t wanted <"$here/dependencies.txt" ;;
  --tests) mapfile -t wanted < <(cat "$here/dependencies.txt" "$here/dependencies_tests.txt") ;;
  -*) sed -n '2,5s/^# \{0,1\}//p' "$0"; [ "$1" = --help ] || exit 2; exit 0 ;;
  *) wanted=("$@") ;;
esac

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
for package in "${wanted[@]}"; do
  installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  {
    echo "$0: this system has no apt-get, so nothing can be installed here."
    echo "Install what these Debian packages hold, then run the step again with OPENATC_NO_INSTALL=1:"
    printf '  %s\n' "${missing[@]}"
  } >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "$0: not root and no sudo here; ask for: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  local begin=$SECONDS
  echo "\$ $*"
  "$@" >"$log" 2>&1 </dev/null || { tail -n 30 "$log" >&2; echo "$0: failed: $*" >&2; exit 1; }
  echo "  $((SECONDS - begin)) s"
}
quietly "${as_root[@]}" apt-get update -q
quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"
