#!/usr/bin/env python3
"""Compares Transom with the package apache-tvm-ffi in memory: results first, then times.

On one large IR of native types: each program builds the same graph from the same seed with its own library's objects and
keeps it. On the runtimes: each program does the same jobs of many operations. Run it by tools/bench.sh, which builds the
programs. They run one step at a time on request and take turns; a step's result is freed after its clock has stopped.
Wall time by default; --clock cpu counts processor time of both sides, for a machine that is busy.
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
    ("hash", "hash", ("the same fields folded by hand", "fold_by_hand")),
    ("deduplicate", "deduplicate", None),
    ("build, interned", "build_interned", ("build and deduplicate", "build_deduplicate")),
]
# (operation, job of both sides, the same without an object model: job of Transom's program)
RUNTIME_ROWS = [
    ("call of a registered function, two integers", "call_global", "virtual_call"),
    ("the same by `TVMFFIFunctionCall`", "call_c", "virtual_call"),
    ("call of a closure, two integers", "call_closure", "virtual_call"),
    ("call of a packed closure, two integers", "call_packed", "virtual_call"),
    ("function by name", "find_global", "unordered_map_name"),
    ("object of one number: make, destroy", "object", "malloc_free"),
    ("copy of a value: integer", "copy_int", "copy_16_bytes"),
    ("copy of a value: object", "copy_object", "count_up_down"),
    ("copy of a value: text of 7 bytes", "copy_short_text", "copy_16_bytes"),
    ("copy of a value: text of 39 bytes", "copy_long_text", "count_up_down"),
    ("text of 7 bytes: make, destroy", "short_text", "copy_short_text"),
    ("text of 39 bytes: make, destroy", "long_text", "malloc_long_text"),
    ("array of 1000: append", "array_push", "vector_push"),
    ("array of 1000: by index", "array_index", "plain_array"),
    ("array of 1000: iterate", "array_iterate", "plain_array"),
    ("map of 1000 integers: insert", "map_insert_int", "unordered_map_insert_int"),
    ("map of 1000 integers: find", "map_find_int", "unordered_map_find_int"),
    ("map of 1000 integers: iterate", "map_iterate_int", "unordered_map_iterate_int"),
    ("map of 1000 texts: insert", "map_insert_text", "unordered_map_insert_text"),
    ("map of 1000 texts: find", "map_find_text", "unordered_map_find_text"),
    ("map of 1000 texts: iterate", "map_iterate_text", "unordered_map_iterate_text"),
    ("map of 4 texts: insert", "map_insert_few", "unordered_map_insert_few"),
    ("map of 4 texts: find", "map_find_few", "unordered_map_find_few"),
    ("map of 4 texts: iterate", "map_iterate_few", "unordered_map_iterate_few"),
    ("error thrown and caught", "error", "throw"),
    ("the same by `TVMFFIFunctionCall`", "error_c", "throw"),
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


def race(package, ours, options):
    """Times in ms of the steps of the IR."""
    steps = []
    for _, theirs, mine in ROWS:
        steps += [(package, theirs), (ours, mine)]
    for _, mine, other in OWN_ROWS:
        steps.append((ours, mine))
        if other:
            steps.append((ours, other[1]))
    return take_turns(steps, options.rounds, options.clock)


def take_turns(steps, rounds, clock):
    """Times in ms of each (side, step), by that; the sides take turns, so that a slow phase of the machine hits both."""
    steps = {step: [] for step in steps}
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


def compare_ir(options):
    options.work.mkdir(parents=True, exist_ok=True)
    package = Side("tvm_ffi", [options.package_side, options.nodes, options.seed])
    ours = Side("transom", [options.our_side, options.nodes, options.seed])
    objects, sizes = check(package, ours, options.work)
    print(f"{objects} objects: each side reads what the other wrote and finds its own graph in it")
    print(f"without repetition: {sizes['transom'][3]} objects")
    print(f"JSON {sizes['tvm_ffi'][1] / 1e6:.1f} MB, .tsm {sizes['transom'][2] / 1e6:.1f} MB\n")
    print_tables(package, ours, race(package, ours, options))
    package.close()
    ours.close()


def check_jobs(package, ours):
    """Both sides do the same jobs with the same results. Returns the number of operations of each job."""
    jobs = {}
    for side in (package, ours):
        described = (word.split(":") for word in side.ask("describe").split())
        jobs[side] = {name: (int(operations), int(result)) for name, operations, result in described}
    for _, job, floor in RUNTIME_ROWS:
        if jobs[package][job] != jobs[ours][job]:
            fail(f"the job {job} has other operations or another result: {jobs[package][job]} and {jobs[ours][job]}")
        if f"floor_{floor}" not in jobs[ours]:
            fail(f"{ours.name} has no job floor_{floor}")
    return {name: operations for name, (operations, _) in jobs[ours].items()}


def compare_runtimes(options):
    package = Side("tvm_ffi", [options.package_runtime, options.operations, options.seed])
    ours = Side("transom", [options.our_runtime, options.operations, options.seed])
    operations = check_jobs(package, ours)
    steps = []
    for _, job, floor in RUNTIME_ROWS:
        steps += [(package, job), (ours, job), (ours, f"floor_{floor}")]
    times = take_turns(steps, options.rounds, options.clock)
    print("| operation | tvm_ffi, ns | transom, ns | ratio | floor | ns |")
    print("| --- | ---: | ---: | ---: | --- | ---: |")
    for name, job, floor in RUNTIME_ROWS:
        best = [min(times[step]) * 1e6 / operations[step[1]] for step in ((package, job), (ours, job), (ours, f"floor_{floor}"))]
        print(f"| {name} | {best[0]:.1f} | {best[1]:.1f} | {best[0] / best[1]:.2f} | {floor.replace('_', ' ')} | {best[2]:.1f} |")
    package.close()
    ours.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package-side", help="the program transom_bench_tvm_ffi")
    parser.add_argument("--our-side", help="the program transom_ir_bench")
    parser.add_argument("--work", type=Path, help="folder for the files these exchange")
    parser.add_argument("--nodes", type=int, default=1_000_000, help="objects in the graph, about (default 1000000)")
    parser.add_argument("--package-runtime", help="the program transom_runtime_bench_tvm_ffi")
    parser.add_argument("--our-runtime", help="the program transom_runtime_bench")
    parser.add_argument("--operations", type=int, default=1_000_000, help="operations of a job (default 1000000)")
    parser.add_argument("--seed", type=int, default=1, help="which graph, which keys (default 1)")
    parser.add_argument("--rounds", type=int, default=10, help="times are taken from so many (default 10)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="what is counted (default wall)")
    options = parser.parse_args()
    ir = [options.package_side, options.our_side, options.work]
    runtimes = [options.package_runtime, options.our_runtime]
    if any(ir) != all(ir) or any(runtimes) != all(runtimes) or not any(ir + runtimes):
        parser.error("expected --package-side, --our-side and --work, or --package-runtime and --our-runtime, or all")
    if any(ir):
        compare_ir(options)
    if all(ir + runtimes):
        print()
    if any(runtimes):
        compare_runtimes(options)


if __name__ == "__main__":
    main()
