#!/usr/bin/env bash
# usage: pass_runs.sh PASS_RUNNER [SEEDS]
# The whole run of graphs under different passes, for seeds 1 to SEEDS (1): no pass, all, each alone, all but each and 200
# subsets, in origin precision, half floats and with open shapes, on Debian's cases, the newest ones of the corpus where
# it is there, and the written ones. About half an hour of processor time a seed; a line for each kind of run tells graphs,
# compilations and faults, before it the rewrites of each pass.
set -euo pipefail
runner=$1 seeds=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
corpus=${OPENATC_CORPUS:-$(realpath -m "$here/../../../shared/corpus")}
folders=(/usr/share/libonnx-testdata/data)
[ -d "${folders[0]}" ] || { echo "SKIPPED: no Debian package libonnx-testdata"; exit 0; }
newest=$(mktemp -d)
trap 'rm -rf "$newest"' EXIT
if [ -f "$corpus/onnx_backend_tests.tar.zst" ]; then
  zstd -dc "$corpus/onnx_backend_tests.tar.zst" | tar -xf - -C "$newest"
  folders+=("$newest")
else
  echo "without the newest cases: there is no $corpus/onnx_backend_tests.tar.zst; OPENATC_CORPUS names the folder"
fi
status=0
for seed in $(seq "$seeds"); do
  for kind in --complete --fp16 --open; do
    echo "seed $seed, $kind"
    "$runner" "$kind" --seed "$seed" --each --subsets 200 --exempt "$here/exempt.txt" --written "$here/written_cases.txt" \
      "${folders[@]}" || status=1
  done
done
exit $status
