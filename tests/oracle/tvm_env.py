"""TVM beside Transom: the releases that these tests run against, each in an environment below the build folder."""
import json
import os
import pathlib
import subprocess
import sys

BUILD_DIR = pathlib.Path(os.environ.get("TRANSOM_BUILD_DIR", "build"))
SOURCE_DIR = pathlib.Path(os.environ.get("TRANSOM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
DATA_DIR = pathlib.Path(os.environ.get("TRANSOM_TEST_DATA_DIR", SOURCE_DIR / "tests" / "data"))
TOOL = os.environ.get("TRANSOM_TOOL_PATH", str(BUILD_DIR / "bin" / "transom"))
EDIT = str(BUILD_DIR / "bin" / "transom_test_edit")

# Each release of TVM runs with the release of tvm-ffi of its time; on later ones it crashes when it saves.
RELEASES = {
    "0.25": ("0.25.0.post1", "0.1.12"),
    "0.26": ("0.26.0", "0.1.13.post3"),
    "0.27": ("0.27.0.post1", "0.1.14.post0"),
}


def data_files(release):
    return sorted((DATA_DIR / f"tvm-{release}").glob("*.json"))


def schema_file(release):
    return SOURCE_DIR / "schema" / f"tvm-{release}.json"


def interpreter(release):
    """The Python of the release's environment, which is made when it is not there yet."""
    tvm, tvm_ffi = RELEASES[release]
    folder = BUILD_DIR / "oracle" / f"tvm-{tvm}"
    python = folder / "bin" / "python"
    stamp = folder / "complete"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        packages = [f"apache-tvm=={tvm}", f"apache-tvm-ffi=={tvm_ffi}"]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        stamp.touch()
    return str(python)


class Tvm:
    """A process of one release of TVM that answers requests; a crash ends the process, not the tests."""

    def __init__(self, release):
        self.python = interpreter(release)
        self.process = None

    def ask(self, **request):
        """The answer of the worker, or {"status": "crash"}."""
        if self.process is None:
            worker = pathlib.Path(__file__).with_name("tvm_worker.py")
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self.process = subprocess.Popen([self.python, worker], text=True, **pipes)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            return {"status": "crash"}
        return json.loads(line)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def run_tool(*arguments):
    """Exit status, standard output and standard error of the tool."""
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=120)
    return done.returncode, done.stdout, done.stderr


def edit(release, source, target, normal, seed):
    """Makes a seeded edit of a file; `normal` gets it as a writer would write it. Gives kind, place and broken type."""
    command = [EDIT, schema_file(release), source, target, str(seed), normal]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return text.rstrip("\n").split("\t")


def nodes_of(path):
    """The nodes of a JSON graph as text, so that NaN compares with NaN and 1 differs from 1.0."""
    graph = json.loads(pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape"))
    return [json.dumps(node) for node in graph["nodes"]]


def is_sound(path):
    """Whether the table of global variables of each module names the keys of its functions. TVM takes it for granted:
    its comparison of a module where an edit broke this says nothing about the functions."""
    nodes = json.loads(pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape"))["nodes"]

    def name(index):
        return nodes[nodes[index]["data"]["name_hint"]]["data"]

    for node in nodes:
        if node["type"] == "ir.IRModule":
            functions = nodes[node["data"]["functions"]]["data"][0::2]
            table = nodes[node["data"]["global_var_map_"]]["data"]
            named = {nodes[key]["data"]: value for key, value in zip(table[0::2], table[1::2])}
            if named != {name(key): key for key in functions}:
                return False
    return True
