"""The conformance suite of languages (examples/languages) with Python among them: on the C ABI of libtransom_ffi, and on that
of the package apache-tvm-ffi, whose front end Python uses in both."""

import importlib.metadata
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
SOURCE = pathlib.Path(os.environ.get("TRANSOM_SOURCE_DIR", HERE.parent.parent))
BUILD = pathlib.Path(os.environ.get("TRANSOM_BUILD_DIR", SOURCE / "build"))
MODULES = BUILD / "lib" / "conformance"


def front_end_on(library, folder):
    """A copy of the installed front end, in which `library` is in the place of the package's own."""
    distribution = importlib.metadata.distribution("apache-tvm-ffi")
    installed = pathlib.Path(distribution.locate_file("tvm_ffi"))
    package = folder / "tvm_ffi"
    (package / "lib").mkdir(parents=True)
    for entry in installed.iterdir():
        if entry.name not in ("lib", "__pycache__"):
            (package / entry.name).symlink_to(entry)
    # The package's test library brings one symbol that the front end needs; libtransom_ffi has it.
    for name in ("libtvm_ffi.so", "libtvm_ffi_testing.so"):
        (package / "lib" / name).symlink_to(library)
    # By this the front end finds its library.
    record = pathlib.Path(distribution.locate_file(f"apache_tvm_ffi-{distribution.version}.dist-info"))
    (folder / record.name).symlink_to(record)
    return folder


@pytest.mark.parametrize("provider", ["libtransom_ffi", "package"])
def test_all_languages(provider, tmp_path):
    environment = dict(os.environ)
    if provider == "libtransom_ffi":
        environment["PYTHONPATH"] = str(front_end_on(BUILD / "lib" / "libtransom_ffi.so", tmp_path))
    languages = [f"{name}={MODULES / name}.so" for name in ("c", "cpp", "rust")]
    command = [sys.executable, str(SOURCE / "examples" / "languages" / "python" / "run.py"), str(MODULES / "suite.so"), *languages]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 languages, 0 checks failed" in done.stdout
