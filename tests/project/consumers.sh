# Shared by the tests of installed trees: source it. Builds and runs the consumer programs of this folder against a prefix.
# CC, CXX, CMAKE_GENERATOR and USER_OPTIONS (one option of CMake that every user needs, or nothing) come from the
# environment; `cmake` is set by the script that sources this.
# shellcheck shell=bash disable=SC2154

user_options=(${USER_OPTIONS:+"$USER_OPTIONS"})
consumers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Complaints say which check of which test failed.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# quietly COMMAND...: shows the output of the command only when it fails.
quietly() {
  local output
  output=$("$@" 2>&1) || fail "$* failed:"$'\n'"$output"
}

# find_one FOLDER NAME [FIND_OPTION...]: the only file of that name in the tree.
find_one() {
  local found
  found=$(find "$1" "${@:3}" -name "$2")
  [[ -n $found && $found != *$'\n'* ]] || fail "expected one $2 in $1, found: ${found:-none}"
  echo "$found"
}

# use_find_package PREFIX SCRATCH: three projects in C++ and C.
use_find_package() {
  local prefix=$1 scratch=$2 name
  for name in consumer consumer_runtime consumer_c; do
    quietly "$cmake" -S "$consumers/$name" -B "$scratch/$name" "-DCMAKE_PREFIX_PATH=$prefix" "${user_options[@]}"
    quietly "$cmake" --build "$scratch/$name"
  done
  quietly "$scratch/consumer/consumer" "$scratch/graph.tsm"
  quietly "$scratch/consumer_runtime/consumer_runtime"
  quietly "$scratch/consumer_c/consumer_c"
}

# find_only PREFIX SCRATCH CMAKE_OPTION...: prints what find_package says; its result is the status.
find_only() {
  local prefix=$1 scratch=$2
  shift 2
  rm -rf "$scratch/find_only"
  "$cmake" -S "$consumers/find_only" -B "$scratch/find_only" "-DCMAKE_PREFIX_PATH=$prefix" "${user_options[@]}" "$@" 2>&1
}

# use_pkg_config PREFIX SCRATCH: the same programs, compiled by hand; warnings of headers count here.
use_pkg_config() {
  local prefix=$1 scratch=$2 pc flags lib
  command -v pkg-config >/dev/null || fail "pkg-config is missing; tools/setup.sh installs it"
  pc=$(find_one "$prefix" transom.pc)
  lib=$(dirname "$(dirname "$pc")")
  flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs transom)
  # shellcheck disable=SC2086  # the flags are words
  quietly "$CXX" -std=c++17 -Wall -Wextra -Werror "$consumers/consumer/main.cc" -o "$scratch/by_pkg_config" $flags
  LD_LIBRARY_PATH=$lib quietly "$scratch/by_pkg_config" "$scratch/by_pkg_config.tsm"
  # shellcheck disable=SC2086
  quietly "$CC" -std=c99 -Wall -Wextra -Werror "$consumers/consumer_c/main.c" -o "$scratch/c_by_pkg_config" $flags
  LD_LIBRARY_PATH=$lib quietly "$scratch/c_by_pkg_config"
}

# run_tool PREFIX FILE: the program of the tree reads a graph that a consumer wrote.
run_tool() {
  local tool=$1/bin/transom output
  [[ -x $tool ]] || fail "$tool is missing"
  output=$("$tool" hash "$2") || fail "$tool hash $2 failed"
  [[ $output =~ ^[0-9a-f]{16}' ' ]] || fail "$tool hash $2 printed: $output"
}
