#!/usr/bin/env bash
# Transom on the C ABI of the package apache-tvm-ffi: builds the external configuration in a folder inside the build folder and runs its
# core tests, with each supported release of the package. The releases share the folder: what they change is what is linked.
set -euo pipefail
outer=${TRANSOM_BUILD_DIR:?names the build folder}
export TRANSOM_BUILD_DIR=$outer/external
# shellcheck source=../../tools/common.sh
source "$(dirname "$0")/../../tools/common.sh"

# What the outer build was configured with.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$outer/CMakeCache.txt"; }
options=(-DTRANSOM_RUNTIME=external -DTRANSOM_BUILD_TESTS=ON -DTRANSOM_BUILD_TOOLS=ON -DTRANSOM_BUILD_BENCH=OFF)
for name in CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_C_COMPILER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_C_COMPILER_LAUNCHER \
  TRANSOM_DEVELOPER_MODE; do
  value=$(cached "$name")
  [[ -z $value ]] || options+=("-D$name=$value")
done

# Without the library there is a message that says what to do.
! output=$(cmake -S "$source_dir" -B "$build_dir/nowhere" -DTRANSOM_RUNTIME=external -DTRANSOM_TVM_FFI_ROOT=/nowhere 2>&1) ||
  fail "the external configuration does not need a library"
grep -F 'there is no libtvm_ffi.so in /nowhere' <<<"$(tr '\n' ' ' <<<"$output" | tr -s ' ')" >/dev/null ||
  fail "no message about the missing library in: $output"

for release in "${tvm_ffi_releases[@]}"; do
  venv=$outer/venvs/tvm-ffi-$release
  make_venv "$venv" "apache-tvm-ffi==$release"
  root=$(dirname "$("$venv/bin/python" -m tvm_ffi.config --libdir)")
  say "apache-tvm-ffi $release"
  configure "$build_dir" "${options[@]}" "-DTRANSOM_TVM_FFI_ROOT=$root"
  build "$build_dir"
  run_tests "$build_dir" -L core
  # In a process of the package only names that say where they come from are new.
  "$venv/bin/python" - "$build_dir/lib/libtransom.so" <<'PYTHON' || fail "libtransom registers names that belong to others"
import ctypes, sys
import tvm_ffi

def names():
    functor = tvm_ffi.get_global_func("ffi.FunctionListGlobalNamesFunctor")()
    return {functor(i) for i in range(functor(-1))} | set(tvm_ffi.get_global_func("ffi.GetRegisteredTypeKeys")())

before = names()
ctypes.CDLL(sys.argv[1])
sys.exit(sorted(n for n in names() - before if not n.startswith("transom.")) or 0)
PYTHON
  # The tests must not have found another library of that name.
  readelf -d "$build_dir/lib/libtransom.so" | grep -F "$root/lib" >/dev/null || fail "libtransom does not look for libtvm_ffi.so in $root/lib"
done
