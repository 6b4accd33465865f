#!/usr/bin/env bash
# subdirectory_test.sh CMAKE SOURCE_DIR SCRATCH runtime|all: a project adds Transom as a subdirectory and links with it.
# runtime: builds and runs what needs the object model alone. all: the whole library, then installs it into absolute folders.
set -euo pipefail
cmake=$1 source=$2 scratch=$3 what=$4
source "$(dirname "$0")/consumers.sh"
build=$scratch/build

rm -rf "$scratch"
mkdir -p "$scratch"
options=("-DTRANSOM_SOURCE_DIR=$source")
[[ $what == runtime ]] || options+=(-DTRANSOM_INSTALL=ON -DTRANSOM_BUILD_TOOLS=ON "-DCMAKE_INSTALL_PREFIX=$scratch/prefix"
  "-DCMAKE_INSTALL_LIBDIR=$scratch/elsewhere/lib" "-DCMAKE_INSTALL_BINDIR=$scratch/tools/bin")
quietly "$cmake" -S "$consumers/consumer_subdirectory" -B "$build" "${options[@]}"

# Nothing is said about how the user's own sources are compiled, but the language level.
own=$(grep -A 2 -B 2 '"file": .*/consumer[a-z_]*/main\.' "$build/compile_commands.json" | grep '"command"')
[[ $(wc -l <<<"$own") == 3 ]] || fail "expected three commands for the project's own sources, found: $own"
! grep -E ' -(W|O|g|fsanitize|fvisibility)[^ ]*' <<<"$own" >&2 || fail "flags reach the sources of the project (above)"
# Its warnings are its own business too.
! grep -E -e ' -(Wall|Wextra|Werror)' "$build/compile_commands.json" >&2 || fail "warnings are on in a project that did not ask"

quietly "$cmake" --build "$build" --parallel --target consumer_runtime consumer_c
quietly "$build/consumer_runtime"
quietly "$build/consumer_c"
[[ $what != runtime ]] || exit 0

quietly "$cmake" --build "$build" --parallel
quietly "$build/consumer" "$scratch/built.tsm"

quietly "$cmake" --install "$build"
[[ -f $scratch/elsewhere/lib/libtransom.so && -x $scratch/tools/bin/transom ]] || fail "the absolute folders were not used"
rm -rf "$build"
use_find_package "$scratch/elsewhere" "$scratch"
use_pkg_config "$scratch/elsewhere" "$scratch"
run_tool "$scratch/tools" "$scratch/graph.tsm"
