#!/usr/bin/env python3
"""run.py SUITE LANGUAGE=LIBRARY...: the conformance suite on those languages and on Python, in a process of Python.

Prints the checks that failed. Exit status: 0 all held, 1 some failed.
"""

import sys

import conformance  # noqa: F401: registers the functions
import tvm_ffi


def main():
    suite = tvm_ffi.load_module(sys.argv[1])
    names = ["python"]
    for argument in sys.argv[2:]:
        name, _, library = argument.partition("=")
        suite.add_language(name, library)
        names.append(name)
    failures = suite.check(names)
    for failure in failures:
        print(failure)
    print(f"{len(names)} languages, {len(failures)} checks failed")
    return 1 if len(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
