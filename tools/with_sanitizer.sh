#!/bin/sh
# with_sanitizer.sh address|thread SITE COMMAND...: runs a program that is not built with the sanitizer (Python)
# so that it loads the package under SITE, which is.
set -eu
case $1 in
  address) runtime=asan ;;
  thread) runtime=tsan ;;
  *) echo "The sanitizer \"$1\" is neither address nor thread." >&2; exit 2 ;;
esac
site=$(realpath "$2")
shift 2

export PYTHONPATH="$site"
LD_PRELOAD="$(clang-19 -print-resource-dir)/lib/linux/libclang_rt.$runtime-$(uname -m).so" exec "$@"
