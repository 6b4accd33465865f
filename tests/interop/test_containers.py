"""Containers that two libraries of the C contract change in turn: this project's headers and those of apache-tvm-ffi."""

import os
import pathlib
import subprocess

import pytest
import tvm_ffi

HERE = pathlib.Path(__file__).parent
SOURCE = pathlib.Path(os.environ.get("TRANSOM_SOURCE_DIR", HERE.parent.parent))
PEER = pathlib.Path(tvm_ffi.__file__).parent


def compile_to(output, *arguments):
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-g", "-Wall", "-o", str(output), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("options", [["-O2"], ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]],
                         ids=["plain", "sanitized"])
def test_changes_of_both_libraries_agree(tmp_path, options):
    """The program runs on the other library's C functions; its own runtime is not part of it."""
    peer = tmp_path / "libpeer.so"
    runtime = [f"-L{PEER / 'lib'}", "-ltvm_ffi", f"-Wl,-rpath,{PEER / 'lib'}"]
    compile_to(peer, "-O1", "-fPIC", "-shared", f"-I{PEER / 'include'}", HERE / "containers_peer.cc", *runtime)
    program = tmp_path / "containers_shared"
    compile_to(program, *options, f"-I{SOURCE / 'include'}", HERE / "containers_shared.cc", peer, *runtime,
               f"-Wl,-rpath,{tmp_path}")
    result = subprocess.run([str(program)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("changes agree\n")
