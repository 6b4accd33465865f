#!/usr/bin/env bash
# bench.sh [ROUNDS [wall|cpu [NODES]]]: builds Transom and compares it with TVM on real files, and with the package
# apache-tvm-ffi on an IR of NODES objects (default 1000000) and on the operations of the runtime: checks that results agree,
# then prints times and ratios of ROUNDS rounds (default 10), as wall time or, for a busy machine, processor time. Last
# comes how the times of hash, comparison, diff and deduplication grow.
# Puts TVM into a Python environment of its own in the build folder (network the first time). TRANSOM_BUILD_DIR names the
# build folder (default: build/).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rounds=${1:-10} clock=${2:-wall} nodes=${3:-1000000}
for number in "$rounds" "$nodes"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || fail "the numbers of rounds and of nodes must be positive, not \"$number\""
done

"$source_dir/tools/setup.sh" --all
make_venv "$build_dir/venvs/tvm" "${tvm_packages[@]}"
python=$build_dir/venvs/tvm/bin/python
say "building in $build_dir"
configure "$build_dir" -DCMAKE_BUILD_TYPE=Release -DTRANSOM_BUILD_BENCH=ON \
  "-DTRANSOM_TVM_FFI_ROOT=$(dirname "$("$python" -m tvm_ffi.config --libdir)")"
build "$build_dir" transom_cli transom_bench transom_ir_bench transom_bench_tvm_ffi transom_runtime_bench \
  transom_runtime_bench_tvm_ffi transom_growth_bench
say "comparing with TVM"
"$python" "$source_dir/bench/vs_tvm.py" --tool "$build_dir/bin/transom" --bench "$build_dir/bin/transom_bench" \
  --work "$build_dir/bench-data" --rounds "$rounds" --clock "$clock"
say "comparing with the package apache-tvm-ffi on native types, and the runtimes"
"$python" "$source_dir/bench/vs_tvm_ffi.py" --package-side "$build_dir/bin/transom_bench_tvm_ffi" \
  --our-side "$build_dir/bin/transom_ir_bench" --package-runtime "$build_dir/bin/transom_runtime_bench_tvm_ffi" \
  --our-runtime "$build_dir/bin/transom_runtime_bench" --work "$build_dir/bench-data" --nodes "$nodes" --rounds "$rounds" --clock "$clock"
say "growth with the size of the graph"
"$build_dir/bin/transom_growth_bench" "$((nodes / 5))" "$rounds"
