#!/usr/bin/env bash
# exported_symbols.sh NM LIBTRANSOM_RUNTIME LIBTRANSOM LIBTRANSOM_FFI: checks the dynamic symbol tables of the libraries.
set -euo pipefail
nm=$1 runtime=$2 transom=$3 ffi=$4
status=0

defined() { "$nm" -D --defined-only "$1" | awk '{print $NF}' | sed 's/@.*//'; }

runtime_symbols=$(defined "$runtime")
transom_symbols=$(defined "$transom")

extra=$(grep -v '^TVMFFI' <<<"$runtime_symbols" || true)
if [[ -n $extra ]]; then
  printf '%s exports more than the C ABI:\n%s\n' "$runtime" "$extra" >&2
  status=1
fi
# What the headers of the C ABI declare, each in a statement that may span lines.
headers=$(dirname "$0")/../../include/transom/runtime
declared=$(cat "$headers/c_api.h" "$headers/c_env_api.h" | tr '\n' ' ' | grep -oE 'TRANSOM_FFI_DLL [^;]*;' |
  grep -oE 'TVMFFI[A-Za-z0-9]+\(' | tr -d '(' | sort -u)
difference=$(diff <(echo "$declared") <(grep '^TVMFFI' <<<"$runtime_symbols" | sort) || true)
if [[ -z $declared || -n $difference ]]; then
  printf '%s does not export what the headers of the C ABI declare:\n%s\n' "$runtime" "$difference" >&2
  status=1
fi
extra=$(grep '^TVMFFI' <<<"$transom_symbols" || true)
if [[ -n $extra ]]; then
  printf '%s exports symbols of the C ABI:\n%s\n' "$transom" "$extra" >&2
  status=1
fi

# libtransom_ffi is both: the C ABI of the one, the functions of the other, and nothing else.
ffi_symbols=$(defined "$ffi")
difference=$(diff <(grep '^TVMFFI' <<<"$runtime_symbols" | sort) <(grep '^TVMFFI' <<<"$ffi_symbols" | sort) || true)
if [[ -n $difference ]]; then
  printf '%s does not export the C ABI of %s:\n%s\n' "$ffi" "$runtime" "$difference" >&2
  status=1
fi
missing=$(comm -23 <(grep -E '^_ZNK?7transom' <<<"$transom_symbols" | sort) <(sort <<<"$ffi_symbols"))
if [[ -n $missing ]]; then
  printf '%s lacks functions of %s:\n%s\n' "$ffi" "$transom" "$missing" >&2
  status=1
fi
extra=$(grep -vE '^(TVMFFI|_ZNK?7transom|_ZT[ISV]N7transom)' <<<"$ffi_symbols" || true)
if [[ -n $extra ]]; then
  printf '%s exports more than the C ABI and the library:\n%s\n' "$ffi" "$extra" >&2
  status=1
fi
exit $status
