"""What the tool says about two files, against what TVM says."""
import json
import pathlib
import re
import sys

import tvm_env


def plain(path):
    """A path with the label alone for a map key that is an object, as both sides print one in their own way."""
    return re.sub(r'\[(<missing:)?[A-Za-z_][\w.]*\((?:name_hint=)?("[^"]*")\)(>?)\]', r"[\1\2\3]", path)


def first_mismatch(lhs, rhs):
    """Exit status of the tool, and the two paths where it finds a difference."""
    status, out, err = tvm_env.run_tool("diff", "--first", "--format", "json", lhs, rhs)
    if status != 1:
        return status, ("", err)
    (difference,) = json.loads(out)["differences"]
    return status, (plain(difference["lhs"]), plain(difference["rhs"]))


def check(answer, lhs, rhs, breach):
    """What is wrong with the tool's verdict, or nothing."""
    status, paths = first_mismatch(lhs, rhs)
    if answer["status"] == "refused" or breach:
        return [] if status == 2 else [f"TVM: {answer}, broken type: {breach}; the tool exits with {status}"]
    wanted = 0 if answer["equal"] else 1
    if status != wanted:
        return [f"TVM: {answer}; the tool exits with {status} {paths}"]
    problems = []
    if status == 1 and paths != (plain(answer["lhs"]), plain(answer["rhs"])):
        problems.append(f"TVM: {answer['lhs']} {answer['rhs']}; the tool: {paths}")
    status, out, err = tvm_env.run_tool("hash", lhs, rhs)
    hashes = {line.split()[0] for line in out.splitlines()}
    # TVM's own hash leaves out map entries whose keys it has not met: some unequal values have equal hashes there.
    if status != 0 or (len(hashes) == 1) != answer["equal"] or (answer["equal"] and not answer["hash_equal"]):
        problems.append(f"TVM: {answer}; the tool's hashes: {status} {hashes} {err}")
    return problems


def has_denormal(path):
    """Whether a file holds a number that TVM's reader takes for one out of range."""
    found = []

    def parse(text):
        found.append(0 < abs(float(text)) < sys.float_info.min)

    json.loads(pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape"), parse_float=parse)
    return any(found)


def is_comparable(answer, breach, normal, resaved):
    """Whether TVM's answer says something about an edited file. Some rules of TVM are in its code only, such as that an
    extent has a primitive type: there it crashes, or reads another value than the file holds."""
    if breach:
        return True
    if answer["status"] == "refused" and has_denormal(normal):
        return False
    if answer["status"] == "ok" and tvm_env.nodes_of(resaved) != tvm_env.nodes_of(normal):
        return False
    return answer["status"] != "crash" and tvm_env.is_sound(normal)
