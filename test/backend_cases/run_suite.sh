#!/usr/bin/env bash
# usage: run_suite.sh RUNNER debian|newest graph|om [RUNNER OPTION...]
# Runs the cases of a suite through the evaluator or through om and device. expect_<suite>_<route>.txt beside this file
# names those that must pass; its first line says how many must pass at least ("# minimum N"). Both guard against
# breakage and are raised as more cases pass: raise_expectations.sh. exempt.txt names the cases that are random or left
# out.
set -euo pipefail
runner=$1 suite=$2 route=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
corpus=${OPENATC_CORPUS:-$(realpath -m "$here/../../../shared/corpus")}
case $suite in
  debian)
    folder=/usr/share/libonnx-testdata/data
    [ -d "$folder" ] || { echo "SKIPPED: no Debian package libonnx-testdata"; exit 0; }
    ;;
  newest)
    archive=$corpus/onnx_backend_tests.tar.zst
    [ -f "$archive" ] || { echo "SKIPPED: no corpus at $corpus; set OPENATC_CORPUS (see test/README.md)"; exit 0; }
    command -v zstd >/dev/null || { echo "SKIPPED: no zstd"; exit 0; }
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    zstd -dc "$archive" | tar -xf - -C "$folder"
    ;;
  *) echo "no suite '$suite'" >&2; exit 2 ;;
esac
expect=$here/expect_${suite}_$route.txt
"$runner" --via "$route" --exempt "$here/exempt.txt" --expect "$expect" --minimum "$(sed -n '1s/# minimum //p' "$expect")" "$@" "$folder"
