#!/usr/bin/env bash
# Installs what is missing, builds everything with its tests, and runs them.
#   test/run.sh [CTEST ARGUMENT...]     for instance: test/run.sh -R parsers -LE slow
#   OPENATC_NO_INSTALL=1  never calls apt-get      OPENATC_JOBS=N  compiles with N processes (default: all cores)
# The exit status is ctest's, and ctest's summary comes last. A test that cannot run here prints a line
# "SKIPPED: why"; these are listed before the summary. JUnit results: build/junit.xml.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -n "${OPENATC_NO_INSTALL:-}" ] || examples/install_dependencies.sh --tests

configure=(cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DOPENATC_TESTS=ON)
[ -f build/CMakeCache.txt ] || configure+=(-G Ninja)
mkdir -p build
run() {
  local begin=$SECONDS
  echo "\$ $*"
  "$@" >build/run.log 2>&1 </dev/null || { tail -n 60 build/run.log >&2; echo "run.sh: failed: $*" >&2; exit 1; }
  echo "  $((SECONDS - begin)) s"
}
run "${configure[@]}"
run cmake --build build -j "${OPENATC_JOBS:-$(nproc)}"

# ctest's report as it comes, but for its closing summary, which waits until the skipped tests are listed.
ctest=(ctest --test-dir build -j2 --no-tests=error --output-on-failure --output-junit junit.xml "$@")
echo "\$ ${ctest[*]}"
status=0
rm -f build/Testing/Temporary/LastTest.log build/summary.txt
"${ctest[@]}" 2>&1 | awk -v summary=build/summary.txt '
  /^[0-9]+% tests passed/ { closing = 1 }
  closing { print >summary; next }
  { print; fflush() }' || status=$?

if [ -f build/Testing/Temporary/LastTest.log ]; then
  skips=$(sed -n 's/^ *SKIPPED: //p' build/Testing/Temporary/LastTest.log | sort | uniq -c)
  if [ -n "$skips" ]; then
    echo "Skipped here, and why (number of tests, reason):"
    echo "$skips"
    echo
  else
    echo "Nothing was skipped."
    echo
  fi
fi
if [ -f build/summary.txt ]; then cat build/summary.txt; fi
exit $status
