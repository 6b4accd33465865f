#!/usr/bin/env bash
# external_runtime.sh NM READELF LIBTRANSOM LIBTVM_FFI: libtransom takes the C ABI from the other provider's library: it
# defines no symbol of it, needs that library and not libtransom_runtime, and every symbol that it needs is there.
set -euo pipefail
nm=$1 readelf=$2 transom=$3 provider=$4
status=0

complain() {
  printf '%s %s\n' "$transom" "$*" >&2
  status=1
}

names() { awk '{print $NF}' | sed 's/@.*//' | grep '^TVMFFI' | sort -u || true; }

defined=$("$nm" -D --defined-only "$transom" | names)
used=$("$nm" -D --undefined-only "$transom" | names)
provided=$("$nm" -D --defined-only "$provider" | names)
needed=$("$readelf" -d "$transom" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')

[[ -z $defined ]] || complain "defines symbols of the C ABI: $defined"
[[ -n $used ]] || complain "uses no symbol of the C ABI"
missing=$(comm -23 <(printf '%s\n' "$used") <(printf '%s\n' "$provided"))
[[ -z $missing ]] || complain "needs what $provider does not export: $missing"
grep -qx 'libtvm_ffi\.so' <<<"$needed" || complain "does not need libtvm_ffi.so, only: $needed"
! grep -q 'libtransom_runtime' <<<"$needed" || complain "needs libtransom_runtime"
exit $status
