"""libtransom_ffi registers the functions, types and type attributes that libtvm_ffi of apache-tvm-ffi does, described alike."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
import tvm_ffi

HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(os.environ.get("TRANSOM_BUILD_DIR", HERE.parent.parent / "build"))
PEER = pathlib.Path(tvm_ffi.__file__).parent / "lib" / "libtvm_ffi.so"


def tables_of(library):
    command = [sys.executable, str(HERE / "contract_tables.py"), str(library)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.fixture(scope="module")
def peer():
    return tables_of(PEER)


@pytest.fixture(scope="module")
def ours():
    return tables_of(BUILD / "lib" / "libtransom_ffi.so")


def test_global_functions(peer, ours):
    """All of them, with the same schemas; further ones are named after this project."""
    assert len(peer["functions"]) > 80
    assert {name: ours["functions"].get(name) for name in peer["functions"]} == peer["functions"]
    assert [n for n in ours["functions"] if n not in peer["functions"] and not n.startswith("transom.")] == []


def test_types(peer, ours):
    assert len(peer["types"]) > 25
    for key, described in peer["types"].items():
        actual = ours["types"].get(key)
        # Here a constructor states the type that it makes, there any object.
        for method in ("__ffi_init__",):
            if method in described["methods"]:
                schema = described["methods"][method]["schema"]
                described["methods"][method]["schema"] = schema.replace("ffi.Object", key, 1)
        assert actual == described, key
    assert [k for k in ours["types"] if k not in peer["types"] and not k.startswith("transom.")] == []


def test_type_attributes(peer, ours):
    assert len(peer["columns"]["__ffi_convert__"]) > 10
    assert ours["columns"] == peer["columns"]
