#!/usr/bin/env bash
# usage: run.sh [Add|Mul|Sub|AddCustom]...    ASCEND_HOME_PATH: where OpenATC is installed; PYTHON: one with NumPy
# Builds the program, and for each operator makes inputs, runs it, and compares the result with NumPy's.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-$here/build}
python=${PYTHON:-/usr/bin/python3}
: "${ASCEND_HOME_PATH:?set it to the folder where OpenATC is installed}"
[ $# -gt 0 ] || set -- Add Mul Sub AddCustom
mkdir -p "$work"

custom=
case " $* " in *" AddCustom "*)
  # The project of the custom operator is written by the converter, and built.
  rm -rf "$work/add_custom"
  "$ASCEND_HOME_PATH/bin/atc" --gen_op_project="$here/add_custom.json" --output="$work/add_custom"
  cp "$here/add_custom_kernel.cc" "$work/add_custom/op_kernel/add_custom.cc"
  cmake -S "$work/add_custom" -B "$work/add_custom/build" -DASCEND_PATH="$ASCEND_HOME_PATH" > "$work/log" || { cat "$work/log"; exit 1; }
  cmake --build "$work/add_custom/build" > "$work/log" || { cat "$work/log"; exit 1; }
  custom=$work/add_custom/build/op_api
  export ASCEND_CUSTOM_OPP_PATH=$work/add_custom/build/opp
esac
cmake -S "$here" -B "$work/program" -DASCEND_PATH="$ASCEND_HOME_PATH" -DCUSTOM_OP_API="$custom" > "$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/program" > "$work/log" || { cat "$work/log"; exit 1; }
cd "$work"
for operator in "$@"; do
  "$python" "$here/scripts/gen_data.py" "$operator"
  program/execute_op "$operator"
  "$python" "$here/scripts/verify_result.py" output/output_z.bin output/golden.bin
done
