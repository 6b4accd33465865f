#!/usr/bin/env bash
# package_test.sh CMAKE BUILD_DIR SCRATCH VERSION: makes the Debian package and the archive, unpacks them, and uses what was
# in them. Exit status 77: this system lacks the tools for Debian packages.
set -euo pipefail
cmake=$1 build=$2 scratch=$3 version=$4
source "$(dirname "$0")/consumers.sh"
cpack=$(dirname "$cmake")/cpack

for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not there, so no Debian package can be made" >&2; exit 77; }
done

rm -rf "$scratch"
mkdir -p "$scratch/packages" "$scratch/deb" "$scratch/tgz"
# As a Ninja build: for others CPack builds first, and tests may run side by side.
for format in DEB TGZ; do
  quietly "$cpack" --config "$build/CPackConfig.cmake" -G "$format" -B "$scratch/packages" -D CPACK_CMAKE_GENERATOR=Ninja
done

deb=$(find_one "$scratch/packages" 'transom_*.deb' -maxdepth 1)
field() { dpkg-deb -f "$deb" "$1"; }
[[ $(field Package) == transom ]] || fail "the package is called $(field Package)"
[[ $(field Version) == "$version"-* ]] || fail "the package has version $(field Version), expected $version"
[[ $(field Architecture) == "$(dpkg --print-architecture)" ]] || fail "the package is for $(field Architecture)"
[[ $(field Section) == devel ]] || fail "the package is in section $(field Section)"
[[ $(field Maintainer) == *'<'*@*'>' ]] || fail "the package has the maintainer $(field Maintainer)"
[[ $(field Description | wc -l) -gt 1 ]] || fail "the package has no description: $(field Description)"
for needed in libc6 libstdc++6 libxxhash0 libdlpack-dev; do
  [[ ", $(field Depends)" == *", $needed"* ]] || fail "the package does not depend on $needed: $(field Depends)"
done

quietly dpkg-deb -x "$deb" "$scratch/deb"
[[ $(ls "$scratch/deb") == usr ]] || fail "the package has more than usr: $(ls "$scratch/deb")"
for name in share/doc/transom/LICENSE share/transom/schema/tvm-0.27.json include/transom/runtime/c_api.h; do
  [[ -f $scratch/deb/usr/$name ]] || fail "the package lacks $name"
done
use_find_package "$scratch/deb/usr" "$scratch"
use_pkg_config "$scratch/deb/usr" "$scratch"
run_tool "$scratch/deb/usr" "$scratch/graph.tsm"

quietly tar -xzf "$(find_one "$scratch/packages" 'transom-*.tar.gz' -maxdepth 1)" -C "$scratch/tgz" --strip-components=1
[[ $(cd "$scratch/tgz" && find . | sort) == "$(cd "$scratch/deb/usr" && find . | sort)" ]] ||
  fail "the archive and the Debian package hold different files"
run_tool "$scratch/tgz" "$scratch/graph.tsm"
