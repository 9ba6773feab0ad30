#!/usr/bin/env bash
# usage: raise_expectations.sh RUNNER debian|newest graph|om
# Runs a suite and writes the names of the cases that pass to its expect file, with their number as the minimum.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
expect=$here/expect_$2_$3.txt
[ -f "$expect" ] || echo "# minimum 0" >"$expect"
passing=$("$here/run_suite.sh" "$@" | sed -nE 's/^(PASS|RANDOM) +//p')
{
  echo "# minimum $(wc -l <<<"$passing")"
  echo "# Cases that pass: a guard against breakage. See run_suite.sh."
  echo "$passing"
} >"$expect"
head -n 1 "$expect"
