#!/usr/bin/env bash
# layers.sh SOURCE_DIR: includes between the folders of include/transom and src only point to the same or a lower floor.
set -euo pipefail
cd "$1"
awk '
  BEGIN {
    floor["runtime"] = 0; floor["containers"] = 0; floor["reflection"] = 0; floor["schema"] = 1; floor["graph"] = 2
    floor["structural"] = 3; floor["formats"] = 4; floor["render"] = 5; floor["interop"] = 6
  }
  /^#include [<"]/ {
    from = FILENAME
    sub(/^(include\/transom|src)\//, "", from)
    sub(/\/.*/, "", from)
    split($2, parts, /[<">]/)
    to = parts[2]
    sub(/^transom\//, "", to)
    if (to !~ /\//) next
    sub(/\/.*/, "", to)
    if (!(from in floor) || !(to in floor)) next
    upward = floor[to] > floor[from]
    inside = FILENAME ~ /^src\// && from != "runtime" && parts[2] ~ /^runtime\//
    if (upward || inside) {
      print FILENAME ":" FNR ": " from " must not include " parts[2] > "/dev/stderr"
      bad = 1
    }
  }
  END { exit bad }
' $(find include/transom src -name '*.h' -o -name '*.cc' | sort)
