#!/usr/bin/env bash
# readme.sh README TRANSOM DATA_DIR: the console samples of the README are what the program prints.
set -euo pipefail
readme=$1 transom=$2 data=$3
cd "$data"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

commands=0
while IFS= read -r line; do
  if [[ $line == '$ transom '* ]]; then
    commands=$((commands + 1))
    echo "$line" >>"$scratch/actual"
    status=0
    # shellcheck disable=SC2086  # the words of the sample
    "$transom" ${line#'$ transom '} >>"$scratch/actual" || status=$?
    ((status < 2)) || exit 1
    echo >>"$scratch/actual"
  fi
  echo "$line" >>"$scratch/expected"
done < <(sed -n '/^```console$/,/^```$/{//d;p}' "$readme")
((commands > 0)) || { echo "$readme has no console sample" >&2; exit 1; }
diff <(sed -e '$a\' "$scratch/expected") <(sed '$d' "$scratch/actual") >&2 ||
  { echo "$readme shows other output (<) than the program prints (>)" >&2; exit 1; }
