#!/usr/bin/env bash
# test.sh [--all]: builds Transom and runs the core tests.
#   --all   also the tests beside Python and TVM; makes its own Python environments in the build folder (network)
# TRANSOM_BUILD_DIR names the build folder (default: build/), TRANSOM_DEVELOPER_MODE=ON makes warnings errors.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

all=0
for argument in "$@"; do
  case $argument in
    --all) all=1 ;;
    -h | --help) sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown option $argument; there is --all" ;;
  esac
done

options=(-DCMAKE_BUILD_TYPE=Release -DTRANSOM_BUILD_TESTS=ON "-DTRANSOM_DEVELOPER_MODE=${TRANSOM_DEVELOPER_MODE:-OFF}")
labels=(-L core)
if ((all)); then
  "$source_dir/tools/setup.sh" --all
  make_venv "$build_dir/venvs/tvm" "${tvm_packages[@]}"
  for release in "${tvm_ffi_releases[@]}"; do
    make_venv "$build_dir/venvs/tvm-ffi-$release" "apache-tvm-ffi==$release"
  done
  options+=(-DTRANSOM_TEST_ALL=ON "-DTRANSOM_TEST_PYTHON=$build_dir/venvs/tvm/bin/python")
  labels=()
else
  "$source_dir/tools/setup.sh"
  options+=(-DTRANSOM_TEST_ALL=OFF)
fi

say "building in $build_dir"
configure "$build_dir" "${options[@]}"
build "$build_dir"
say "testing"
run_tests "$build_dir" "${labels[@]}"
