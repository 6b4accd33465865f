#!/usr/bin/env python3
"""Compares the transom program with TVM on the same files: results first, then times.

Run it by tools/bench.sh, which brings the Python environment. Every row is one job:
  convert   JSON to JSON            against  load_json + save_json
  hash      hash of a JSON file     against  load_json + structural_hash
  hash .tsm hash of the .tsm file   against  load_json + structural_hash of the JSON
  diff      are two files the same  against  load_json of both
TVM's side is timed inside a warm process, so neither its start nor reading the file counts. Transom's side is the whole
program minus the same command on a tiny file. Each time is the best of several rounds in which both sides take turns.
Wall time by default; --clock cpu counts processor time of both sides instead, for a machine that is busy.
"""

import argparse
import gc
import json
import lzma
import resource
import subprocess
import sys
import time
from pathlib import Path

import tvm_ffi
from tvm.ir import load_json, save_json

BENCH = Path(__file__).resolve().parent
DATA = BENCH.parent / "tests" / "data" / "tvm-0.27"
BAR = 15.0
BAR_TSM = 60.0


def fail(message):
    sys.exit(f"vs_tvm.py: {message}")


class Input:
    """A file, one with the same value written with other spacing, and one with a different value."""

    def __init__(self, folder, name, text, other_text):
        self.name = name
        self.text = text
        self.file = folder / f"{name}.json"
        self.same = folder / f"{name}.same.json"
        self.other = folder / f"{name}.other.json"
        self.tsm = folder / f"{name}.tsm"
        self.file.write_text(text)
        self.same.write_text(json.dumps(json.loads(text)))
        self.other.write_text(other_text)


def change_one_number(text):
    """The graph with its last int node changed by one."""
    graph = json.loads(text)
    node = [node for node in graph["nodes"] if node["type"] == "int"][-1]
    node["data"] += 1
    return json.dumps(graph, separators=(",", ":"))


def copies(count, stage, last_stage):
    """An array of separately loaded copies of a module of tests/data; the last one may be another stage."""
    texts = [(DATA / f"{stage}.json").read_text()] * (count - 1) + [(DATA / f"{last_stage}.json").read_text()]
    return str(save_json(tvm_ffi.convert([load_json(text) for text in texts])))


def make_inputs(folder):
    folder.mkdir(parents=True, exist_ok=True)
    model = "light_resnet50.1-legalize"
    resnet = lzma.decompress((BENCH / "data" / f"{model}.json.xz").read_bytes()).decode()
    lm = "lm2.1-legalize"
    tiny = (DATA / "const.json").read_text()
    return (
        Input(folder, "tiny", tiny, change_one_number(tiny)),
        [
            Input(folder, "resnet50", resnet, change_one_number(resnet)),
            Input(folder, "lm2x10", copies(10, lm, lm), copies(10, lm, "lm2.2-annotate")),
        ],
    )


class Tool:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, expect=0, stdout=subprocess.DEVNULL):
        done = subprocess.run([self.path, *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, check=False)
        if done.returncode != expect:
            fail(f"transom {' '.join(map(str, arguments))} ended with status {done.returncode}, expected {expect}: "
                 f"{done.stderr.decode().strip()}")
        return done.stdout

    def output(self, *arguments):
        return self.run(*arguments, stdout=subprocess.PIPE).decode()

    def hash(self, file):
        return self.output("hash", file).split()[0]


def check(tool, data):
    """Both sides give the same results on this input; otherwise times mean nothing."""
    ours = tool.output("convert", data.file, "-", "--to", "json")
    theirs = str(save_json(load_json(data.text)))
    if ours.rstrip("\n") == theirs:
        verdict = "same text"
    elif json.loads(ours) == json.loads(theirs):
        verdict = "same node table"
    else:
        fail(f"convert of {data.name}: the node table is not the one that TVM writes")

    value, same, other = (load_json(file.read_text()) for file in (data.file, data.same, data.other))
    for right, file in ((same, data.same), (other, data.other)):
        equal = tvm_ffi.structural_equal(value, right)
        if (tvm_ffi.structural_hash(value) == tvm_ffi.structural_hash(right)) != equal:
            fail(f"{file.name}: TVM's own hash and equality disagree")
        if tool.hash(data.tsm) != tool.hash(data.file):
            fail(f"hash of {data.tsm.name}: not that of the JSON file")
        if (tool.hash(data.file) == tool.hash(file)) != equal:
            fail(f"hash of {file.name}: TVM says equal={equal}, transom does not agree")
        tool.run("diff", "--quiet", data.file, file, expect=0 if equal else 1)
    if not tvm_ffi.structural_equal(value, same) or tvm_ffi.structural_equal(value, other):
        fail(f"{data.name}: the inputs are not one equal and one different pair")
    return verdict


def cpu_clock():
    """Processor time of this process and of its ended children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


CLOCKS = {"wall": time.perf_counter, "cpu": cpu_clock}


def seconds(function, clock):
    gc.collect()
    start = clock()
    result = function()
    stop = clock()
    del result
    return stop - start


def race(rounds, clock, **sides):
    """Best time of each side; the sides take turns, so that a slow phase of the machine hits all."""
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for name, function in sides.items():
            best[name] = min(best[name], seconds(function, clock))
    return best


def jobs(tool, data):
    """(title, command on an input, TVM's side, bar) of each row."""
    same_text, other_text = data.same.read_text(), data.other.read_text()

    def tvm_hash():
        value = load_json(data.text)
        return value, tvm_ffi.structural_hash(value)

    return [
        ("convert", lambda i: tool.run("convert", i.file, "-", "--to", "json"), lambda: save_json(load_json(data.text)), BAR),
        ("hash", lambda i: tool.run("hash", i.file), tvm_hash, BAR),
        ("hash .tsm", lambda i: tool.run("hash", i.tsm), tvm_hash, BAR_TSM),
        ("diff, equal", lambda i: tool.run("diff", "--quiet", i.file, i.same),
         lambda: (load_json(data.text), load_json(same_text)), BAR),
        ("diff, different", lambda i: tool.run("diff", "--quiet", i.file, i.other, expect=1),
         lambda: (load_json(data.text), load_json(other_text)), BAR),
    ]


def print_table(tool, tiny, inputs, rounds, clock):
    print("| job | input | MB | TVM, ms | transom, ms | start-up, ms | ratio | bar | met |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    below = 0
    for data in inputs:
        for title, ours, theirs, bar in jobs(tool, data):
            best = race(rounds, clock, tvm=theirs, whole=lambda: ours(data), start=lambda: ours(tiny))
            net = best["whole"] - best["start"]
            ratio = best["tvm"] / net if net > 0 else float("inf")
            below += ratio < bar
            print(f"| {title} | {data.name} | {len(data.text) / 1e6:.2f} | {best['tvm'] * 1e3:.1f} | {net * 1e3:.1f} "
                  f"| {best['start'] * 1e3:.1f} | {ratio:.1f} | {bar:.0f} | {'yes' if ratio >= bar else 'no'} |", flush=True)
    return below


def print_sizes(inputs):
    print("\nSizes, bytes:\n\n| input | JSON | JSON, zstd -3 | JSON, zstd -19 | .tsm | .tsm, zstd -3 | .tsm, zstd -19 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for data in inputs:
        cells = []
        for file in (data.file, data.tsm):
            cells.append(file.stat().st_size)
            for level in (3, 19):
                cells.append(len(subprocess.run(["zstd", f"-{level}", "-q", "-c", file], stdout=subprocess.PIPE, check=True).stdout))
        print(f"| {data.name} | {' | '.join(f'{cell:,}' for cell in cells)} |")


def print_split(program, inputs, rounds, time_field):
    """Where the time goes inside the library, by the in-process benchmark."""
    command = [program, "--benchmark_format=json", f"--benchmark_repetitions={rounds}", *(str(i.file) for i in inputs)]
    runs = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    best = {}
    for run in runs["benchmarks"]:
        if run["run_type"] == "iteration":
            step, _, file = run["run_name"].partition("/")
            file = Path(file.split(".json")[0]).name
            best.setdefault(file, {}).setdefault(step, []).append(run[time_field])
    steps = list(next(iter(best.values())))
    for file, times in best.items():
        ratio = min(times["load"]) / min(times["load .tsm"])
        print(f"\n{file}: a .tsm file is loaded {ratio:.1f} times as fast as the JSON")
    print(f"\nInside the library, ms:\n\n| input | {' | '.join(steps)} |\n| --- |{' ---: |' * len(steps)}")
    for file, times in best.items():
        print(f"| {file} | {' | '.join(f'{min(times[step]):.2f}' for step in steps)} |")


def print_tvm_split(inputs, rounds, clock):
    print("\nTVM's steps, ms:\n\n| input | load_json | save_json | structural_hash | structural_equal |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for data in inputs:
        value, same = load_json(data.text), load_json(data.same.read_text())
        best = race(rounds, clock, load=lambda: load_json(data.text), save=lambda: save_json(value),
                    hash=lambda: tvm_ffi.structural_hash(value), equal=lambda: tvm_ffi.structural_equal(value, same))
        print(f"| {data.name} | {' | '.join(f'{time * 1e3:.1f}' for time in best.values())} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="the transom program")
    parser.add_argument("--bench", help="the transom_bench program, for the times inside the library")
    parser.add_argument("--work", required=True, type=Path, help="folder for the inputs it makes")
    parser.add_argument("--rounds", type=int, default=10, help="each time is the best of so many (default 10)")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="what is counted (default wall)")
    options = parser.parse_args()
    clock = CLOCKS[options.clock]

    gc.disable()
    tool = Tool(options.tool)
    tiny, inputs = make_inputs(options.work)
    for data in (tiny, *inputs):
        tool.run("convert", data.file, data.tsm)
    for data in inputs:
        print(f"{data.name}: results agree with TVM; convert gives the {check(tool, data)}")
    print()
    below = print_table(tool, tiny, inputs, options.rounds, clock)
    print_sizes(inputs)
    print_tvm_split(inputs, options.rounds, clock)
    if options.bench:
        print_split(options.bench, inputs, options.rounds, {"wall": "real_time", "cpu": "cpu_time"}[options.clock])
    if below:
        print(f"\n{below} rows are below their bar.")


if __name__ == "__main__":
    main()
