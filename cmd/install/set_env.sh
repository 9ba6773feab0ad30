# Source this file to use the OpenATC that it belongs to: . PREFIX/set_env.sh
# The variables have the names of a CANN toolkit's, so that build scripts find headers and libraries here. Where a
# CANN toolkit is set up in the shell already they are left alone, and the library path too: both have a
# libascendcl.so, and a program that drives a real NPU must not get ours. The programs of this prefix find their own
# libraries without either.

_openatc_home=$(CDPATH= cd -- "$(dirname -- "${BASH_SOURCE:-$0}")" && pwd)
_openatc_before() { # LIST FOLDER: the list with the folder in front, once
  case ":$1:" in
    *":$2:"*) printf '%s' "$1" ;;
    *) printf '%s' "$2${1:+:$1}" ;;
  esac
}

if [ ! -x "$_openatc_home/bin/atc" ]; then
  # A plain POSIX shell does not tell a sourced file its own name.
  echo "set_env.sh: cannot tell where this file is; source it from bash or zsh, or run: cd PREFIX && . ./set_env.sh" >&2
elif [ "${ASCEND_HOME_PATH:-$_openatc_home}" != "$_openatc_home" ] ||
  [ "${ASCEND_TOOLKIT_HOME:-$_openatc_home}" != "$_openatc_home" ]; then
  echo "set_env.sh: warning: a CANN toolkit is set up in this shell (${ASCEND_HOME_PATH:-$ASCEND_TOOLKIT_HOME})." >&2
  echo "set_env.sh: atc and omrun are now OpenATC's; the toolkit's own variables and libraries stay as they are." >&2
  PATH=$(_openatc_before "${PATH:-}" "$_openatc_home/bin")
  export PATH
else
  for _openatc_cann in /usr/local/Ascend/ascend-toolkit /usr/local/Ascend/cann /usr/local/Ascend/nnae \
    "${HOME:-}/Ascend/ascend-toolkit" "${HOME:-}/Ascend/cann" "${HOME:-}/Ascend/nnae"; do
    [ ! -f "$_openatc_cann/set_env.sh" ] ||
      echo "set_env.sh: warning: a CANN toolkit is installed here; do not source $_openatc_cann/set_env.sh too." >&2
  done
  export ASCEND_HOME_PATH="$_openatc_home"
  export ASCEND_TOOLKIT_HOME="$_openatc_home"
  export ASCEND_OPP_PATH="$_openatc_home/opp"
  PATH=$(_openatc_before "${PATH:-}" "$_openatc_home/bin")
  LD_LIBRARY_PATH=$(_openatc_before "${LD_LIBRARY_PATH:-}" "$_openatc_home/lib64")
  PYTHONPATH=$(_openatc_before "${PYTHONPATH:-}" "$_openatc_home/python/site-packages")
  export PATH LD_LIBRARY_PATH PYTHONPATH
fi
# Completions, in an interactive shell; zsh takes them when compinit runs after this.
case $- in
  *i*)
    if [ -n "${BASH_VERSION:-}" ]; then
      for _openatc_name in atc omrun; do
        [ ! -f "$_openatc_home/share/bash-completion/completions/$_openatc_name" ] ||
          . "$_openatc_home/share/bash-completion/completions/$_openatc_name"
      done
    elif [ -n "${ZSH_VERSION:-}" ]; then
      eval 'fpath=("$_openatc_home/share/zsh/site-functions" $fpath)'
    fi
    ;;
esac
unset -f _openatc_before
unset _openatc_home _openatc_cann _openatc_name
