#!/usr/bin/env bash
# From a fresh clone to a line of text that a converted model has read.
#   examples/quickstart.sh            installs what is missing, builds, fetches a real model, converts it, runs it
#   examples/quickstart.sh "Hello 1"  the same with your own text (the font is DejaVu Sans)
# Shows each command and how long it took; what the commands print goes to build/quickstart/log.txt.
# Fails when the text that was read differs from the text that was drawn.
#   OPENATC_NO_INSTALL=1  never calls apt-get      OPENATC_JOBS=N  compiles with N processes (default: all cores)
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
text=${1:-Hello, OpenATC}
work=build/quickstart
mkdir -p "$work"
log=$work/log.txt
: >"$log"

now_ms() { date +%s%3N; }
# The command as one would type it.
shown() {
  local word line=
  for word in "$@"; do
    [[ $word =~ ^[A-Za-z0-9_./:=,@+-]+$ ]] || word=${word@Q}
    line+=" $word"
  done
  echo "${line# }"
}

since() { awk -v t=$(($(now_ms) - $1)) 'BEGIN { printf "%.1f s", t / 1000 }'; }

# run COMMAND...: shows the command and its time; its output goes to the log, and here when it fails.
run() {
  local begin status=0
  echo "\$ $(shown "$@")" | tee -a "$log"
  begin=$(now_ms)
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  if [ $status -ne 0 ]; then
    tail -n 40 "$log" >&2
    echo "quickstart: exit status $status from: $(shown "$@")   (whole output: $log)" >&2
    exit 1
  fi
  echo "  $(since "$begin")"
}
# As run, but shows what the command prints.
run_shown() {
  local begin
  echo "\$ $(shown "$@")"
  begin=$(now_ms)
  "$@" || { echo "quickstart: exit status $? from: $(shown "$@")" >&2; exit 1; }
  echo "  $(since "$begin")"
}

start=$(now_ms)
[ -n "${OPENATC_NO_INSTALL:-}" ] || examples/install_dependencies.sh

# A Python that can draw: Debian's, whatever comes first in PATH, unless only that one has the modules.
python=/usr/bin/python3
"$python" -c 'import numpy, PIL' 2>/dev/null || python=python3

configure=(cmake -S . -B build)
# A build folder that is there keeps its generator and its choice of tests.
[ -f build/CMakeCache.txt ] || configure+=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DOPENATC_TESTS=OFF)
run "${configure[@]}"
run cmake --build build --target installable -j "${OPENATC_JOBS:-$(nproc)}"

. examples/ocr/fetch_model.sh
fetch_model # sets model and dictionary

echo "\$ $python examples/ocr/draw_line.py $(shown "$text") $work/line.npy $work/line.png"
shape=$("$python" examples/ocr/draw_line.py "$text" "$work/line.npy" "$work/line.png")
run_shown build/bin/atc --model="$model" --framework=5 --soc_version=Ascend910B3 --output="$work/rec" \
  --input_shape="x:$shape"
run_shown build/bin/omrun "$work/rec.om" --input "x=$work/line.npy" --output "$work"
echo "\$ $python examples/ocr/read_line.py $work/out_0.npy $(shown "$dictionary")"
read_text=$("$python" examples/ocr/read_line.py "$work/out_0.npy" "$dictionary")

echo
echo "drawn: $text   ($work/line.png)"
echo "read:  $read_text"
echo "total: $(since "$start")"
if [ "$read_text" != "$text" ]; then
  echo "quickstart: the text that was read differs from the text that was drawn" >&2
  exit 1
fi
