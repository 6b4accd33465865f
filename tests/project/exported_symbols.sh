#!/usr/bin/env bash
# exported_symbols.sh NM LIBTRANSOM_RUNTIME LIBTRANSOM: checks the dynamic symbol tables of both libraries.
set -euo pipefail
nm=$1 runtime=$2 transom=$3
status=0

defined() { "$nm" -D --defined-only "$1" | awk '{print $NF}' | sed 's/@.*//'; }

runtime_symbols=$(defined "$runtime")
transom_symbols=$(defined "$transom")

extra=$(grep -v '^TVMFFI' <<<"$runtime_symbols" || true)
if [[ -n $extra ]]; then
  printf '%s exports more than the C ABI:\n%s\n' "$runtime" "$extra" >&2
  status=1
fi
if ! grep -q '^TVMFFIFunctionCall$' <<<"$runtime_symbols"; then
  echo "$runtime does not export TVMFFIFunctionCall" >&2
  status=1
fi
extra=$(grep '^TVMFFI' <<<"$transom_symbols" || true)
if [[ -n $extra ]]; then
  printf '%s exports symbols of the C ABI:\n%s\n' "$transom" "$extra" >&2
  status=1
fi
exit $status
