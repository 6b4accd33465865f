#!/usr/bin/env bash
# ir_check.sh TRANSOM_IR_BENCH: what the benchmark on the large IR relies on holds on a small one: as many objects as were
# made, equal graphs from equal seeds, formats that keep the graph, and deduplication that does.
set -euo pipefail
answers=$(printf '%s\n' describe equal hash round_trip | "$1" 20000 7)
[[ $(tail -n 1 <<<"$answers") == equal ]] || { echo "the graph is not kept: $answers" >&2; exit 1; }
