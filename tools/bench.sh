#!/usr/bin/env bash
# bench.sh [ROUNDS [wall|cpu]]: builds Transom and compares it with TVM on real files: checks that results agree, then
# prints times and ratios, each the best of ROUNDS (default 10), as wall time or, for a busy machine, processor time.
# Puts TVM into a Python environment of its own in the build folder (network the first time). TRANSOM_BUILD_DIR names the
# build folder (default: build/).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rounds=${1:-10} clock=${2:-wall}
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "the number of rounds must be a positive number, not \"$rounds\""

"$source_dir/tools/setup.sh" --all
say "building in $build_dir"
configure "$build_dir" -DCMAKE_BUILD_TYPE=Release -DTRANSOM_BUILD_BENCH=ON
build "$build_dir" transom_cli transom_bench
make_venv "$build_dir/venvs/tvm" "${tvm_packages[@]}"
say "comparing with TVM"
"$build_dir/venvs/tvm/bin/python" "$source_dir/bench/vs_tvm.py" --tool "$build_dir/bin/transom" \
  --bench "$build_dir/bin/transom_bench" --work "$build_dir/bench-data" --rounds "$rounds" --clock "$clock"
