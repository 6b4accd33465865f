"""Runs inside an environment with TVM: one request a line on standard input, one answer a line on standard output."""
import json
import os
import sys

import tvm_ffi
from tvm.ir import load_json, save_json


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


loaded = {}


def load_kept(path):
    """The value of the file that was asked for last, so that many comparisons with one file load it once."""
    key = (path, os.stat(path).st_mtime_ns)
    if key not in loaded:
        loaded.clear()
        loaded[key] = load_json(read(path))
    return loaded[key]


def compare(request):
    """Verdict of TVM on two files. Writes what it saves of the second one to request["resaved"]."""
    lhs = load_kept(request["lhs"])
    try:
        rhs = load_json(read(request["rhs"]))
        saved = save_json(rhs)
    except Exception as error:
        return {"status": "refused", "why": str(error).strip().splitlines()[-1:]}
    if "resaved" in request:
        with open(request["resaved"], "w", encoding="utf-8") as file:
            file.write(saved)
    mismatch = tvm_ffi.get_first_structural_mismatch(lhs, rhs)
    equal = tvm_ffi.structural_equal(lhs, rhs)
    assert equal == (mismatch is None)
    return {
        "status": "ok",
        "equal": bool(equal),
        "hash_equal": tvm_ffi.structural_hash(lhs) == tvm_ffi.structural_hash(rhs),
        "lhs": "" if mismatch is None else str(mismatch[0]),
        "rhs": "" if mismatch is None else str(mismatch[1]),
    }


for line in sys.stdin:
    print(json.dumps(compare(json.loads(line))), flush=True)
