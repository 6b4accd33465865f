#!/usr/bin/env python3
"""Compares Transom with the package apache-tvm-ffi on one large IR of native types, in memory: results first, then times.

Run it by tools/bench.sh, which builds both programs. Each builds the same graph from the same seed with its own library's
objects, keeps it, and then runs one step at a time on request. The two take turns; a step's result is freed after its
clock has stopped. Wall time by default; --clock cpu counts processor time of both sides, for a machine that is busy.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

# (job, step of the package, step of Transom)
ROWS = [
    ("build by hand", "build", "build"),
    ("save: its JSON, our .tsm", "save_json", "save_tsm"),
    ("load: its JSON, our .tsm", "load_json", "load_tsm"),
    ("save JSON", "save_json", "save_json"),
    ("load JSON", "load_json", "load_json"),
    ("equal", "equal", "equal"),
    ("hash", "hash", "hash"),
]
# (job, step of Transom, (what it is compared with, step of Transom) or nothing)
OWN_ROWS = [
    ("load .tsm", "load_tsm", ("build by hand", "build")),
    ("load .tsm", "load_tsm", ("load JSON", "load_json")),
    ("save .tsm", "save_tsm", ("save JSON", "save_json")),
    ("deduplicate", "deduplicate", None),
]


def fail(message):
    sys.exit(f"vs_tvm_ffi.py: {message}")


class Side:
    """A program that serves steps."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, step, *arguments):
        try:
            print(step, *arguments, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            fail(f"{self.name} ended at the step {step}, with status {self.process.wait()}")
        return answer

    def time(self, step, clock):
        wall, cpu = map(float, self.ask(step).split())
        return {"wall": wall, "cpu": cpu}[clock]

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            fail(f"{self.name} ended with status {self.process.returncode}")


def check(package, ours, work):
    """Both sides hold the same graph, and read it from each other; otherwise times mean nothing. Returns its size."""
    sizes = {side.name: [int(word) for word in side.ask("describe").split()] for side in (package, ours)}
    objects = sizes[ours.name][0]
    if sizes[package.name][0] != objects:
        fail(f"the sides built different numbers of objects: {sizes}")
    for writer, reader in ((package, ours), (ours, package)):
        path = work / "ir.json"
        writer.ask("write", path)
        if (verdict := reader.ask("check", path)) != "equal":
            fail(f"the graph that {writer.name} wrote is not the one that {reader.name} built: {verdict}")
        path.unlink()
    if (verdict := ours.ask("round_trip")) != "equal":
        fail(f"a step of {ours.name} changes the graph: {verdict}")
    return objects, sizes


def race(package, ours, rounds, clock):
    """Times of each step of each side; the sides take turns, so that a slow phase of the machine hits both."""
    steps = {}
    for _, theirs, mine in ROWS:
        steps[package, theirs] = []
        steps[ours, mine] = []
    for _, mine, other in OWN_ROWS:
        steps.setdefault((ours, mine), [])
        if other:
            steps.setdefault((ours, other[1]), [])
    for _ in range(rounds):
        for (side, step), times in steps.items():
            times.append(side.time(step, clock) * 1e3)
    return steps


def cells(times):
    return f"{min(times):.1f} | {statistics.median(times):.1f}"


def print_tables(package, ours, times):
    print("| job | tvm_ffi, ms: best | median | transom, ms: best | median | ratio of medians |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for job, theirs, mine in ROWS:
        left, right = times[package, theirs], times[ours, mine]
        print(f"| {job} | {cells(left)} | {cells(right)} | {statistics.median(left) / statistics.median(right):.1f} |")
    print("\n| Transom alone | ms: best | median | compared with | ms: best | median | ratio of medians |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: |")
    for job, mine, other in OWN_ROWS:
        left = times[ours, mine]
        if other:
            right = times[ours, other[1]]
            print(f"| {job} | {cells(left)} | {other[0]} | {cells(right)} | {statistics.median(left) / statistics.median(right):.2f} |")
        else:
            print(f"| {job} | {cells(left)} | | | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package-side", required=True, help="the program transom_bench_tvm_ffi")
    parser.add_argument("--our-side", required=True, help="the program transom_ir_bench")
    parser.add_argument("--work", required=True, type=Path, help="folder for the files it exchanges")
    parser.add_argument("--nodes", type=int, default=1_000_000, help="objects in the graph, about (default 1000000)")
    parser.add_argument("--seed", type=int, default=1, help="which graph (default 1)")
    parser.add_argument("--rounds", type=int, default=10, help="times are taken from so many (default 10)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="what is counted (default wall)")
    options = parser.parse_args()

    options.work.mkdir(parents=True, exist_ok=True)
    package = Side("tvm_ffi", [options.package_side, options.nodes, options.seed])
    ours = Side("transom", [options.our_side, options.nodes, options.seed])
    objects, sizes = check(package, ours, options.work)
    print(f"{objects} objects: each side reads what the other wrote and finds its own graph in it")
    print(f"without repetition: {sizes['transom'][3]} objects")
    print(f"JSON {sizes['tvm_ffi'][1] / 1e6:.1f} MB, .tsm {sizes['transom'][2] / 1e6:.1f} MB\n")
    print_tables(package, ours, race(package, ours, options.rounds, options.clock))
    package.close()
    ours.close()


if __name__ == "__main__":
    main()
