#!/usr/bin/env bash
# setup.sh [--clang] [--all]: installs what the build needs and this machine lacks, from the distribution's packages
# (Debian, Ubuntu). When everything is there it does nothing and needs neither root nor network.
#   --clang   also clang, clang-format, clang-tidy
#   --all     also what the Python tests and the benchmarks need
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

want_clang=0 want_all=0
for argument in "$@"; do
  case $argument in
    --clang) want_clang=1 ;;
    --all) want_all=1 ;;
    -h | --help) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown option $argument; there are --clang and --all" ;;
  esac
done

missing=()
need_command() { command -v "$1" >/dev/null || missing+=("$2"); }
need_header() {
  if command -v c++ >/dev/null; then
    echo "#include <$1>" | c++ -std=c++17 -E -x c++ - >/dev/null 2>&1 || missing+=("$2")
  else
    missing+=("$2")
  fi
}

need_command c++ g++
need_command cmake cmake
need_command ninja ninja-build
need_command pkg-config pkg-config
if command -v dpkg >/dev/null; then  # for cpack -G DEB
  need_command dpkg-shlibdeps dpkg-dev
  need_command file file
fi
need_header rapidjson/rapidjson.h rapidjson-dev
need_header xxhash.h libxxhash-dev
need_header flatbuffers/flatbuffers.h libflatbuffers-dev
need_command flatc flatbuffers-compiler
need_header dlpack/dlpack.h libdlpack-dev
need_header CLI/CLI.hpp libcli11-dev
need_header gtest/gtest.h libgtest-dev
need_header benchmark/benchmark.h libbenchmark-dev
if ((want_clang)); then
  need_command clang++ clang
  need_command clang-format clang-format
  need_command clang-tidy clang-tidy
fi
if ((want_all)); then
  need_command python3 python3
  need_command xz xz-utils
  need_command zstd zstd
  need_command rustc rustc
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
fi

if ((${#missing[@]})); then
  command -v apt-get >/dev/null ||
    fail "missing (Debian package names): ${missing[*]}. This script installs with apt-get only; install them and try again"
  as_root=()
  if ((EUID)); then
    command -v sudo >/dev/null || fail "missing packages: ${missing[*]}. Run as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  quietly "$build_dir/logs/setup.log" "${as_root[@]}" apt-get update
  quietly "$build_dir/logs/setup.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${missing[@]}"
fi

required=3.25
found=$(cmake --version | sed -n '1s/.* //p')
[[ $(printf '%s\n' "$required" "$found" | sort -V | head -n 1) == "$required" ]] ||
  fail "CMake $found is too old: $required or newer is needed"
