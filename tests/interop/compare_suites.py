"""Compares two runs of the front end's test suite: what passed in the first must have passed in the second.

    compare_suites.py ORIGINAL.xml OTHER.xml      JUnit reports of pytest
"""

import sys
import xml.etree.ElementTree

# Tests that need not pass, each with the reason.
EXCUSED = {
    "test_object::test_get_registered_type_keys": "expects keys that begin with `ffi.` or `testing.`; "
    "the type of this project's records is `transom.Record`",
}

# The suite has about 2,500 tests that pass; a run that finds far fewer of them says nothing.
LEAST_PASSED = 2000


def outcomes(path):
    """{test: "passed", "skipped", "failed" or "error"}"""
    result = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        kinds = {child.tag for child in case} & {"skipped", "failure", "error"}
        name = f"{case.get('classname')}::{case.get('name')}"
        result[name] = {"skipped": "skipped", "failure": "failed", "error": "error"}[kinds.pop()] if kinds else "passed"
    return result


def main():
    original, other = map(outcomes, sys.argv[1:3])
    passed = [name for name, outcome in original.items() if outcome == "passed"]
    if len(passed) < LEAST_PASSED:
        sys.exit(f"only {len(passed)} tests passed on the package's own library; at least {LEAST_PASSED} are expected")
    worse = {name: other.get(name, "missing") for name in passed if other.get(name) != "passed"}
    for name in sorted(EXCUSED):
        print(f"excused: {name}: {EXCUSED[name]}" if name in worse else f"no excuse needed: {name} passes")
    unexcused = sorted(name for name in worse if name not in EXCUSED)
    print(f"{len(passed)} tests pass on the package's own library, {len(passed) - len(worse)} of them on the other")
    if unexcused:
        sys.exit("\n".join(["worse than on the package's own library:", *(f"  {n}: {worse[n]}" for n in unexcused)]))


if __name__ == "__main__":
    main()
