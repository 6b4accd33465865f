#!/usr/bin/env bash
# install_test.sh CMAKE BUILD_DIR CXX SCRATCH: installs the build into a folder, moves that folder, and builds and runs a
# program against it, by find_package and by pkg-config.
set -euo pipefail
cmake=$1 build=$2 cxx=$3 scratch=$4
consumer=$(cd "$(dirname "$0")/consumer" && pwd)

rm -rf "$scratch"
mkdir -p "$scratch"
"$cmake" --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved

"$cmake" -S "$consumer" -B "$scratch/consumer" "-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_PREFIX_PATH=$prefix" >/dev/null
"$cmake" --build "$scratch/consumer" >/dev/null
"$scratch/consumer/consumer"

pc=$(find "$prefix" -name transom.pc)
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs transom)
  # shellcheck disable=SC2086  # the flags are words
  "$cxx" -std=c++17 "$consumer/main.cc" -o "$scratch/by_pkg_config" $flags
  LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")") "$scratch/by_pkg_config"
fi

if [[ -x $prefix/bin/transom ]]; then
  "$prefix/bin/transom" help >/dev/null
fi
