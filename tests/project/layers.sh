#!/usr/bin/env bash
# layers.sh SOURCE_DIR: includes between the folders of include/transom and src only point to the same or a lower floor, and
# so do those between the folders within src/structural and src/formats.
set -euo pipefail
cd "$1"
awk '
  BEGIN {
    floor["runtime"] = 0; floor["containers"] = 0; floor["reflection"] = 0; floor["schema"] = 1; floor["graph"] = 2
    floor["structural"] = 3; floor["formats"] = 4; floor["render"] = 5; floor["interop"] = 6
    may["structural/visit"] = may["structural/hash"] = "rules"
    may["structural/equality"] = may["structural/dedup"] = "rules hash"
    may["structural/diff"] = "rules hash equality"
    may["formats/json"] = may["formats/tsm"] = "io nodes"
    may["structural/rules"] = may["formats/io"] = may["formats/nodes"] = ""
    may["structural"] = "rules hash equality dedup diff visit"
    may["formats"] = "io nodes json tsm"
  }
  # The folder of a path below src, with two names where there are two.
  function folder_of(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
  }
  /^#include [<"]/ {
    from = FILENAME
    sub(/^(include\/transom|src)\//, "", from)
    folder = folder_of(from)
    sub(/\/.*/, "", from)
    split($2, parts, /[<">]/)
    to = parts[2]
    sub(/^transom\//, "", to)
    if (to !~ /\//) next
    target = folder_of(to)
    sub(/\/.*/, "", to)
    if (!(from in floor) || !(to in floor)) next
    upward = floor[to] > floor[from]
    if (FILENAME ~ /^src\// && parts[2] !~ /^transom\// && to == from && target != folder && (folder in may)) {
      room = target
      sub(/.*\//, "", room)
      if ((" " may[folder] " ") !~ (" " room " ")) upward = 1
    }
    inside = FILENAME ~ /^src\// && from != "runtime" && parts[2] ~ /^runtime\//
    if (upward || inside) {
      print FILENAME ":" FNR ": " from " must not include " parts[2] > "/dev/stderr"
      bad = 1
    }
  }
  END { exit bad }
' $(find include/transom src -name '*.h' -o -name '*.cc' | sort)
