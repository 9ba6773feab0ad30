#!/usr/bin/env bash
# Installs a build under a prefix of its own, moves the prefix, and uses it through its set_env.sh.
# usage: install_test.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "install_test.sh: $*" >&2
  exit 1
}

cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake --install failed"; }
mv "$work/first" "$work/a prefix" # installed files know no absolute place of their own
prefix="$work/a prefix"

layout=$(cd "$prefix" && ls | LC_ALL=C sort | tr '\n' ' ')
[ "$layout" = "bin compiler devlib include lib64 opp python set_env.sh share $(uname -m)-linux " ] || fail "the prefix holds: $layout"
for file in bin/atc bin/omrun lib64/libascendcl.so lib64/libopenatc.so include/acl/acl.h include/acl/openatc_ext.h \
  include/register/register_custom_pass.h include/register/custom_operator.h include/register/register.h \
  include/graph/graph.h include/graph/gnode.h include/graph/operator_reg.h \
  include/ge/fusion/pass/pattern_fusion_pass.h include/es/es_all_ops.h include/all_ops.h \
  include/ge/cmake/FindGenerateEsPackage.cmake opp/built-in/op_proto/inc/all_ops.h \
  compiler/include/graph/graph.h compiler/lib64/libgraph.so lib64/libregister.so lib64/libge_compiler.so; do
  [ -f "$prefix/$file" ] || fail "$file is missing"
done
for file in man/man1/atc.1 man/man1/omrun.1 bash-completion/completions/atc bash-completion/completions/omrun \
  zsh/site-functions/_atc fish/vendor_completions.d/omrun.fish; do
  [ -s "$prefix/share/$file" ] || fail "share/$file is missing"
done
[ -d "$prefix/opp/vendors" ] || fail "opp/vendors is missing"
[ -f "$prefix/opp/engines/engines.json" ] || fail "opp/engines/engines.json is missing"

# In a clean shell: variables point to the prefix, programs run from PATH.
clean=(env -i HOME="$work" PATH=/usr/bin:/bin PREFIX="$prefix" bash -euc)
# shellcheck disable=SC2016 # the inner shell expands these
got=$("${clean[@]}" '. "$PREFIX/set_env.sh"; . "$PREFIX/set_env.sh"; echo "$ASCEND_HOME_PATH|$LD_LIBRARY_PATH|$PATH|$(command -v atc)"' 2>"$work/err")
[ "$got" = "$prefix|$prefix/lib64|$prefix/bin:/usr/bin:/bin|$prefix/bin/atc" ] || fail "set_env.sh gave: $got"
[ ! -s "$work/err" ] || fail "set_env.sh warned without reason: $(cat "$work/err")"
# shellcheck disable=SC2016
"${clean[@]}" '. "$PREFIX/set_env.sh"; atc --help >/dev/null; omrun --help >/dev/null' || fail "installed programs do not run"

# shellcheck disable=SC2016
"${clean[@]}" '. "$PREFIX/set_env.sh"; cd /; exec python3 -' <<'PYTHON' || fail "the installed pyasc does not work"
import pyasc
with pyasc.Context() as ctx:
    y = ctx.input("x", (2,)) * 2.0
    assert ctx.execute({"x": [1, 2]})[y].tolist() == [2, 4]
PYTHON

# Where a CANN toolkit is set up: a warning, its variables untouched, our programs in front with our own libraries.
mkdir -p "$work/cann/lib64"
echo "not a library" >"$work/cann/lib64/libascendcl.so"
# shellcheck disable=SC2016
got=$("${clean[@]}" 'export ASCEND_HOME_PATH=$0/cann LD_LIBRARY_PATH=$0/cann/lib64; . "$PREFIX/set_env.sh"
  omrun --help >/dev/null; echo "$ASCEND_HOME_PATH|$LD_LIBRARY_PATH|$(command -v atc)"' "$work" 2>"$work/err") ||
  { cat "$work/err"; fail "omrun does not run beside a CANN toolkit"; }
[ "$got" = "$work/cann|$work/cann/lib64|$prefix/bin/atc" ] || fail "beside a CANN toolkit set_env.sh gave: $got"
grep -q "warning: a CANN toolkit is set up" "$work/err" || fail "no warning beside a CANN toolkit: $(cat "$work/err")"

# Where one is only installed: a warning that names it.
mkdir -p "$work/Ascend/ascend-toolkit"
: >"$work/Ascend/ascend-toolkit/set_env.sh"
# shellcheck disable=SC2016
"${clean[@]}" '. "$PREFIX/set_env.sh"' 2>"$work/err"
grep -q "$work/Ascend/ascend-toolkit/set_env.sh" "$work/err" || fail "no warning about an installed CANN toolkit"
echo "the installed tree works"
