#!/usr/bin/env bash
# install_test.sh CMAKE BUILD_DIR SCRATCH VERSION: installs the build into a folder, moves that folder, and uses it from
# there: by find_package, by pkg-config, and through the program.
set -euo pipefail
cmake=$1 build=$2 scratch=$3 version=$4
source "$(dirname "$0")/consumers.sh"

rm -rf "$scratch"
mkdir -p "$scratch"
quietly "$cmake" --install "$build" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
lib=$(dirname "$(find_one "$prefix" libtransom.so)")

# The tree is whole, and says nothing of where it was built.
for name in include/transom/transom.h share/transom/schema/tvm-0.27.json share/doc/transom/LICENSE; do
  [[ -f $prefix/$name ]] || fail "$name is not installed"
done
text=$(grep -rIlF -e "$build" -e "$scratch/first" "$prefix" || true)
[[ -z $text ]] || fail "files name the build folder or the first place of the tree: $text"
if command -v readelf >/dev/null; then
  for file in "$prefix/bin/transom" "$lib"/*.so; do
    paths=$(readelf -d "$file" | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p')
    [[ ":$paths" != *:"$build"* ]] || fail "$file looks for libraries in the build folder: $paths"
  done
fi

# Names of a shared library: of the release, of its interface, and the one to link with.
interface=${version%.*}
[[ $version == 0.* ]] || interface=${version%%.*}
for name in "$lib"/lib*.so; do
  [[ -L $name && -f $name.$version ]] || fail "$name is not a link to a file with the version $version"
  [[ $(readlink "$name") == "$(basename "$name").$interface" ]] || fail "$name links to $(readlink "$name")"
done

use_find_package "$prefix" "$scratch"
use_pkg_config "$prefix" "$scratch"
run_tool "$prefix" "$scratch/graph.tsm"

# find_package: this release and older patches of it are taken, others are not; parts by name.
quietly find_only "$prefix" "$scratch" "-DWANTED=${version%.*}"
quietly find_only "$prefix" "$scratch" "-DWANTED=$version" "-DPARTS=transom;runtime"
for wanted in "${version%%.*}.999" 999.0; do
  ! output=$(find_only "$prefix" "$scratch" "-DWANTED=$wanted") || fail "find_package(transom $wanted) took $version"
  grep -q "$version" <<<"$output" || fail "find_package(transom $wanted) does not say what is there: $output"
done
! output=$(find_only "$prefix" "$scratch" -DPARTS=nonsense) || fail "find_package took a component that is not there"
grep -q nonsense <<<"$output" || fail "find_package does not name the unknown component: $output"

# Without the DLPack header the reason says so, and what to do.
mkdir "$scratch/empty"
without_dlpack=("-DCMAKE_FIND_ROOT_PATH=$scratch/empty" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY)
! output=$(find_only "$prefix" "$scratch" "${without_dlpack[@]}") || fail "find_package succeeds without the DLPack header"
grep -q 'dlpack/dlpack.h' <<<"$output" && grep -q libdlpack-dev <<<"$output" ||
  fail "find_package does not say that the DLPack header is missing and how to get it: $output"
