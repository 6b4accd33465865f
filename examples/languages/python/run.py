#!/usr/bin/env python3
"""run.py SUITE LANGUAGE=LIBRARY...: the conformance suite on those languages and on Python, in a process of Python.

Prints the checks that failed. Exit status: 0 all held, 1 some failed.
"""

import gc

import sys

import conformance  # noqa: F401: registers the functions
import tvm_ffi


class Opaque:
    """An object of Python's, which no other language can look into."""

    alive = 0

    def __init__(self):
        Opaque.alive += 1

    def __del__(self):
        Opaque.alive -= 1


def check_opaque_objects(names):
    """An object of Python's goes through each language, comes back as itself, and dies when nobody holds it."""
    failures = []
    for name in names:
        thing = Opaque()
        echo = tvm_ffi.get_global_func(f"conformance.{name}.echo")
        relay = tvm_ffi.get_global_func(f"conformance.{name}.relay")
        if echo(thing) is not thing:
            failures.append(f"{name}: another object than Python's came back from echo")
        if relay("conformance.python.echo", thing) is not thing:
            failures.append(f"{name}: another object than Python's came back from relay")
        del thing
        gc.collect()
        if Opaque.alive != 0:
            failures.append(f"{name}: an object of Python's is still alive")
            Opaque.alive = 0
    return failures


def main():
    suite = tvm_ffi.load_module(sys.argv[1])
    names = ["python"]
    for argument in sys.argv[2:]:
        name, _, library = argument.partition("=")
        suite.add_language(name, library)
        names.append(name)
    failures = [*suite.check(names), *check_opaque_objects(names)]
    for failure in failures:
        print(failure)
    print(f"{len(names)} languages, {len(failures)} checks failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
