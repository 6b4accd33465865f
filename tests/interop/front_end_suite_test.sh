#!/usr/bin/env bash
# libtransom_ffi in the place of libtvm_ffi: the test suite of the Python package apache-tvm-ffi, which its source distribution brings,
# runs on the package as it is and on a copy with this library. What passes there must pass here; compare_suites.py has the exceptions.
set -euo pipefail
# shellcheck source=../../tools/common.sh
source "$(dirname "$0")/../../tools/common.sh"

package="apache-tvm-ffi==${tvm_ffi_releases[0]}"
library=$build_dir/lib/libtransom_ffi.so
scratch=$build_dir/front_end_suite
mkdir -p "$scratch"

# The suite. Fetching a source distribution means asking its build system about it.
suite=$scratch/source/tests/python
if [[ ! -d $suite ]]; then
  make_venv "$scratch/venvs/fetch" cmake cython ninja scikit-build-core setuptools setuptools-scm
  PATH=$scratch/venvs/fetch/bin:$PATH quietly "$scratch/logs/fetch.log" "$scratch/venvs/fetch/bin/python" -m pip download --quiet \
    --no-binary :all: --no-deps --no-build-isolation --dest "$scratch/download" "$package"
  rm -rf "$scratch/source"
  mkdir "$scratch/source"
  tar -xzf "$scratch"/download/*.tar.gz -C "$scratch/source" --strip-components 1
fi

# The two environments. Programs that the suite builds link the library by the name of the file and load it by its own name.
packages=("$package" numpy ml_dtypes ninja pytest pytest-rerunfailures pytest-timeout setuptools)
for name in original transom; do make_venv "$scratch/venvs/$name" "${packages[@]}"; done
folder=$("$scratch/venvs/transom/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/tvm_ffi/lib
cp --remove-destination -L "$library" "$folder/libtvm_ffi.so"
ln -sf libtvm_ffi.so "$folder/$(basename "$(readlink "$library")")"

# run_suite NAME: the outcomes in $scratch/NAME.xml. The suite has tests of speed, hence a second try. Its own status does not matter,
# but that it came to its end does.
run_suite() {
  rm -f "$scratch/$1.xml"
  (cd "$suite" && PATH=$scratch/venvs/$1/bin:$PATH TVM_FFI_CACHE_DIR=$scratch/cache/$1 PYTHONDONTWRITEBYTECODE=1 \
    "$scratch/venvs/$1/bin/python" -m pytest -q -c /dev/null --rootdir "$suite" -p no:cacheprovider -p no:randomly \
    --timeout 600 --reruns 1 --junitxml "$scratch/$1.xml" .) \
    >"$scratch/logs/$1.log" 2>&1 || true
  if [[ ! -s $scratch/$1.xml ]]; then
    tail -n 60 "$scratch/logs/$1.log" >&2
    fail "the suite did not come to its end on the library of $1"
  fi
}

mkdir -p "$scratch/logs"
rm -rf "$scratch/cache"
for name in original transom; do
  say "the suite on the library of $name"
  run_suite "$name"
done
"$scratch/venvs/original/bin/python" "$(dirname "$0")/compare_suites.py" "$scratch/original.xml" "$scratch/transom.xml"
