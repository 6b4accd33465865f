# Shared by the scripts of this folder: source it. Sets source_dir and build_dir (absolute).
# shellcheck shell=bash

set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${TRANSOM_BUILD_DIR:-$source_dir/build}
[[ $build_dir == /* ]] || build_dir=$PWD/$build_dir

say() { printf '== %s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# quietly LOG COMMAND...: runs the command with its output in LOG; shows the log only when the command fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1; then
    tail -n 100 "$log" >&2
    fail "failed: $* (whole log: $log)"
  fi
}

# configure DIR [CMAKE OPTION...]
configure() {
  local dir=$1
  shift
  local generator=(-G Ninja)
  [[ ! -e $dir/CMakeCache.txt ]] || generator=()
  quietly "$dir/logs/configure.log" cmake -S "$source_dir" -B "$dir" "${generator[@]}" "$@"
}

# build DIR [TARGET...]
build() {
  local dir=$1
  shift
  quietly "$dir/logs/build.log" cmake --build "$dir" --parallel "$(nproc)" ${1:+--target "$@"}
}

# run_tests DIR [CTEST OPTION...]: shows what is not a passed test, and the summary.
run_tests() {
  local dir=$1
  shift
  ctest --test-dir "$dir" --parallel "$(nproc)" --output-on-failure --no-tests=error "$@" |
    awk '!/^ *Start +[0-9]+:/ && !/^ *[0-9]+\/[0-9]+ Test +#.* Passed /'
}

# make_venv DIR PACKAGE...: a Python environment with these packages; made once, made again when the list changes.
make_venv() {
  local dir=$1
  shift
  if [[ "$(cat "$dir/packages.txt" 2>/dev/null)" != "$*" ]]; then
    say "making the Python environment $(basename "$dir"): $*"
    rm -rf "$dir"
    quietly "$dir.log" python3 -m venv "$dir"
    quietly "$dir.log" "$dir/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$dir/packages.txt"
  fi
}

# A release of TVM and the tvm_ffi release it works with, and what the tests beside them import.
tvm_packages=(apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post0 numpy pytest)

# Releases of the package whose C ABI the external configuration is tested with.
tvm_ffi_releases=(0.1.14.post0 0.1.15.post2)
