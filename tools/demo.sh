#!/usr/bin/env bash
# demo.sh: builds Transom and runs it on real IR: one model after several passes of a compiler, as TVM saved it.
# TRANSOM_BUILD_DIR names the build folder (default: build/).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$source_dir/tools/setup.sh"
say "building in $build_dir"
configure "$build_dir" -DCMAKE_BUILD_TYPE=Release
build "$build_dir" transom_cli

PATH=$build_dir/bin:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$source_dir/tests/data/tvm-0.27"

chapter() { printf '\n' && say "$@"; }

# show EXPECTED_STATUS COMMAND...: prints the command as typed, then what it says; any other status is a failure.
show() {
  local expected=$1 status=0
  shift
  printf '\n$ %s\n' "${*@Q}" | sed "s/'\([A-Za-z0-9_.=/-]*\)'/\1/g; s#$scratch/##g"
  "$@" || status=$?
  ((status == expected)) || fail "the command above ended with status $status, expected $expected"
  [[ $2 != diff ]] || echo "[exit status $status]"
}

# compare FILE...: the size of each, and the time of hashing it, start-up included.
compare() {
  printf '\n%12s %14s\n' bytes 'hashed in'
  local file begin end
  for file in "$@"; do
    begin=$(date +%s%N)
    transom hash "$file" >/dev/null
    end=$(date +%s%N)
    printf '%12d %11d ms   %s\n' "$(stat -c %s "$file")" $(((end - begin) / 1000000)) "$(basename "$file")"
  done
}

chapter "what is in a snapshot"
show 0 transom stat lm2.0-import.json
chapter "one statement of one function, as text"
store='<root>.functions[ir.GlobalVar("reshape")].body.block.body.body.block.body'
show 0 transom dump lm2.1-legalize.json --path "$store"
chapter "content hashes: the last two stages have the same content"
show 0 transom hash lm2.1-legalize.json lm2.2-annotate.json lm2.4-fusetir.json lm2.5-dce.json
show 0 transom diff lm2.4-fusetir.json lm2.5-dce.json
chapter "what operator fusion changed: how much, where first, and each place"
show 1 transom diff --stat lm2.2-annotate.json lm2.4-fusetir.json
show 1 transom diff --first lm2.2-annotate.json lm2.4-fusetir.json
show 1 transom diff --max-diffs 12 lm2.2-annotate.json lm2.4-fusetir.json
chapter "other text, same value: the file written again, indented"
show 0 transom convert --indent 2 lm2.5-dce.json "$scratch/indented.json"
show 0 transom diff lm2.5-dce.json "$scratch/indented.json"
chapter "one file to ship: the binary form, checked, and back to the very same text"
show 0 transom convert lm2.1-legalize.json "$scratch/model.tsm"
show 0 transom verify "$scratch/model.tsm"
show 0 transom diff lm2.1-legalize.json "$scratch/model.tsm"
show 0 transom convert "$scratch/model.tsm" "$scratch/back.json"
show 0 cmp lm2.1-legalize.json "$scratch/back.json"
show 0 transom dedup lm2.1-legalize.json -o "$scratch/small.tsm"
transom convert lm2.1-legalize.json "$scratch/model.b64"
compare "$PWD/lm2.1-legalize.json" "$scratch/model.tsm" "$scratch/model.b64" "$scratch/small.tsm"
chapter "a constant of an older TVM release, read with that release's schema"
show 0 transom dump ../tvm-0.26/const.json
