#!/usr/bin/env bash
# runtime_check.sh TRANSOM_RUNTIME_BENCH: what the benchmark of the runtime compares gives the same result with the library as
# without it: sums of arrays and maps, and of calls.
set -euo pipefail
answer=$(echo describe | "$1" 5000 7)
result() { tr ' ' '\n' <<<"$answer" | sed -n "s/^$1:[0-9]*://p"; }
for pair in array_index:plain_array array_iterate:plain_array call_global:virtual_call call_c:virtual_call \
            map_find_int:unordered_map_find_int map_find_text:unordered_map_find_text map_find_few:unordered_map_find_few \
            map_iterate_int:unordered_map_iterate_int map_iterate_text:unordered_map_iterate_text; do
  ours=$(result "${pair%%:*}") plain=$(result "floor_${pair##*:}")
  [[ -n $ours && $ours == "$plain" ]] || { echo "${pair%%:*} gives $ours, plain memory $plain" >&2; exit 1; }
done
