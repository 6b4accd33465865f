"""The functions that libtransom_ffi registers, beside those of the package apache-tvm-ffi: same calls, same results."""

import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
SOURCE = pathlib.Path(os.environ.get("TRANSOM_SOURCE_DIR", HERE.parent.parent))
BUILD = pathlib.Path(os.environ.get("TRANSOM_BUILD_DIR", SOURCE / "build"))
# Found without an import: its library must not be in this process by another way than the driver's.
PEER = pathlib.Path(importlib.util.find_spec("tvm_ffi").submodule_search_locations[0]) / "lib" / "libtvm_ffi.so"
OURS = BUILD / "lib" / "libtransom_ffi.so"


def build_types(library, output):
    command = [
        os.environ.get("CXX", "c++"),
        "-std=c++17",
        "-O1",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        f"-I{SOURCE / 'include'}",
        str(HERE / "contract_types.cc"),
        "-o",
        str(output),
        str(library),
        f"-Wl,-rpath,{library.parent}",
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="session")
def both(tmp_path_factory):
    """Runs requests (see contract_driver.py) in both libraries; gives the pairs (package, ours) of results."""
    folder = tmp_path_factory.mktemp("contract_types")
    libraries = []
    for name, library in (("peer", PEER), ("ours", OURS)):
        build_types(library, folder / f"types_{name}.so")
        libraries.append((library, folder / f"types_{name}.so"))

    def run(requests):
        results = []
        for library, types in libraries:
            done = subprocess.run(
                [sys.executable, str(HERE / "contract_driver.py"), str(library), str(types)],
                input=json.dumps(requests),
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, f"{library}: {done.stderr[-2000:]}"
            results.append(json.loads(done.stdout))
        return list(zip(*results))

    return run


def check_same(requests, pairs):
    for request, (peer, ours) in zip(requests, pairs):
        assert ours == peer, request


# ---- JSON text -------------------------------------------------------------------------------------------------------------

TEXTS = r"""
null|true|false|nul|nulll|true1|NaN|-NaN|Infinity|-Infinity|-Inf|Inf|NaNx|-Infinityx|nan|tRue|0|-0|00|01|-01|+1|++1|
+-1|-|+|.|.5|-.5|+.5|1.|1.e3|1e|1e+|1e5|1E5|1e-2|12e03|1e0005|0e0|-0e0|-0.0|1e400|-1e400|1e-400|[1e999]|1.5.5|1e5.5|
1ee5|1-|1+1|--1|- 1|e5|0x10|1_0|9223372036854775807|9223372036854775808|-9223372036854775808|-9223372036854775809|
123456789012345678901234|9223372036854775807.0|0.1|1e22|2.2250738585072014e-308|1.7976931348623157e308|1 2|[]|{}|
[ ]|{ }|[1,]|[1 2]|[1,2|[|[ |[1|[1 |[1,|[1, |[,]|[1]]|[[[[]]]]|[nulll]|[tru]|[1 ,2 , ]|]|}|,|{"a"|{"a" |{"a":|
{"a": |{"a":1|{"a":1 |{"a":1,|{"a":1, |{"a":1,}|{"a":1,x}|{a:1}|{"a" 1}|{"a":1 "b":2}|{1:2}|{"a"}|{"a":}|{,}|
{"a":1}}|{|{ |{"":0}|{"a":1,"a":2}|{"a":1,"b":2,"a":3}|{"a":1,"b":2,"c":3,"a":9}|{"a":1,"b":2,"c":3,"d":4,"a":9}|
{"a":1,"b":2,"c":3,"d":4,"e":5,"a":9}|"abc|"ab\"|"a\qb"|"\U0041"|"\x41"|"a\|"\|"\u|"\u1|"\u12"|"\u12G4"|
"\u0041\u00e9\u20ac"|"\ud83d\ude00"|"\ud800"|"\udc00"|"\udc00\ud800"|"\ud800\u0041"|"\ud83d\ud83d"|"\ud83dx"|
"\ud83d\n"|"\ud83d\u12"|"\ud83d\|"\ud83d\u|"\n\/\b\f\"\\\r\t"|'a'|["é",x]|"é€😀"|/*c*/1|[1]//|
"longer than seven bytes"
""".replace("\n", "").split("|")
TEXTS += [
    "",
    "  ",
    "\n \n x",
    "\t\r\n 1 \t\r\n",
    "\v1",
    "\ufeff1",
    "[1,\n 2,\n x]",
    '{"a":\n\n}',
    "1\n2",
    "\n\n[1,\n\n2\n3]",
    '"a\tb"',
    '"a\nb"',
    '"abc\n',
    '"\x00"',
    "\x00",
    "1\x00",
    "[1]\x00",
    '"\x7f"',
    '"\\u0000"',
    '"a\x01"',
    '"' + "x" * 1000 + '"',
    "[" * 400 + "]" * 400,
]


def test_texts_parse_alike(both):
    requests = []
    for text in TEXTS:
        requests += [["ffi.json.Parse", text], ["ffi.json.Stringify", {"result": len(requests)}, None]]
    check_same(requests, both(requests))


def test_damaged_texts_parse_alike(both):
    rng = random.Random(5)
    base = '{"root_index": 2, "nodes": [{"type": "int", "data": -12.5e3}, "x\\u00e9\\n", [true, null, NaN]], "é": {}}'
    requests = []
    for _ in range(3000):
        text = list(base)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 2)] = rng.choice(
                ["", '"', "\\", ",", ":", "{", "}", "[", "]", "e", "-", "0", ".", " ", "\n", "x"]
            )
        requests += [
            ["ffi.json.Parse", "".join(text)],
            ["ffi.json.Stringify", {"result": len(requests)}, rng.choice([None, 0, 1, 2, -1])],
        ]
    check_same(requests, both(requests))


def test_floats_are_written_alike(both):
    rng = random.Random(6)
    floats = [0.0, -0.0, 1e15, 1e16, 2.0**53, 2.0**53 - 1, 1e-5, 0.1, 1.5e300, 5e-324]
    floats += [rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300) for _ in range(500)] + [
        float(rng.randint(-(2**60), 2**60)) for _ in range(200)
    ]
    requests = [["ffi.json.Stringify", f, None] for f in floats]
    check_same(requests, both(requests))


def test_subnormal_floats_are_read(both):
    """A departure: the package writes these and cannot read them."""
    for peer, ours in both([["ffi.json.Parse", "5e-324"]]):
        assert ours == repr(5e-324) and "error" in peer


def test_unsupported_values_are_errors_alike(both):
    dict_graph = graph([{"type": "ffi.Dict", "data": []}])
    list_graph = graph([{"type": "ffi.List", "data": []}])
    requests = [
        ["ffi.json.Stringify", {"bytes": "6162"}, None],
        ["ffi.FromJSONGraphString", dict_graph],
        ["ffi.json.Stringify", {"result": 1}, None],
        ["ffi.FromJSONGraphString", list_graph],
        ["ffi.json.Stringify", {"result": 3}, 2],
        ["ffi.FromJSONGraphString", graph([{"type": "int", "data": 1}, {"type": "ffi.Map", "data": [0, 0]}])],
        ["ffi.json.Stringify", {"result": 5}, None],
        ["ffi.json.Parse", 5],
        ["ffi.json.Stringify", 1, "x"],
        ["ffi.ToJSONGraphString", 1, {"result": 5}],
    ]
    pairs = both(requests)
    kinds = [(kind_of(peer), kind_of(ours)) for peer, ours in pairs]
    assert all(peer == ours for peer, ours in kinds), list(zip(requests, pairs))


# ---- JSON graphs -----------------------------------------------------------------------------------------------------------


def graph(nodes, root=None, **members):
    return json.dumps({"root_index": len(nodes) - 1 if root is None else root, "nodes": nodes, **members})


def kind_of(result):
    return result["error"][0] if isinstance(result, dict) and "error" in result else None


class RandomGraph:
    """Nodes of all kinds; children have smaller indices. Variables stand where they are defined, or anywhere else."""

    def __init__(self, seed, size):
        self.rng = random.Random(seed)
        self.nodes = [{"type": "None"}]
        for _ in range(size):
            self.nodes.append(self.node())

    def any(self):
        # Mostly near the end, so that graphs are deep.
        n = len(self.nodes)
        return n - 1 - min(int(self.rng.expovariate(0.4)), n - 1)

    def of_type(self, key):
        found = [i for i, node in enumerate(self.nodes) if node["type"] == key]
        return self.rng.choice(found) if found else self.any()

    def text(self):
        return self.add(
            {"type": "ffi.String", "data": self.rng.choice(["", "a", "b", "name", "longer than seven", "é"])}
        )

    def add(self, node):
        self.nodes.append(node)
        return len(self.nodes) - 1

    def key(self):
        kind = self.rng.randrange(4)
        if kind == 0:
            return self.text()
        if kind == 1:
            return self.of_type("test.interop.Var")
        return self.add({"type": "int", "data": self.rng.randint(0, 5)})

    def node(self):
        rng = self.rng
        kind = rng.randrange(20)
        if kind < 4:
            return rng.choice(
                [
                    {"type": "int", "data": rng.randint(-3, 3)},
                    {"type": "float", "data": rng.choice([0.0, -0.0, 1.5, float("nan")])},
                    {"type": "bool", "data": rng.random() < 0.5},
                    {"type": "DataType", "data": rng.choice(["int32", "float16x4"])},
                    {"type": "Device", "data": [2, 1]},
                    {"type": "ffi.Shape", "data": [1, rng.randint(0, 2)]},
                    {"type": "ffi.Bytes", "data": rng.choice(["AQI=", "", "AAECAwQFBgcICQ=="])},
                    {"type": "ffi.BigInt", "data": str(2**70 + rng.randint(0, 1))},
                ]
            )
        if kind < 6:
            return {
                "type": rng.choice(["ffi.Array", "ffi.List"]),
                "data": [self.any() for _ in range(rng.randint(0, 4))],
            }
        if kind < 8:
            keys = list(dict.fromkeys(self.key() for _ in range(rng.randint(0, 4))))
            return {"type": rng.choice(["ffi.Map", "ffi.Dict"]), "data": [i for key in keys for i in (key, self.any())]}
        if kind < 11:
            return self.object("Var", name=self.text(), type=self.any() if rng.random() < 0.1 else 0)
        if kind == 11:
            params = self.add(
                {"type": "ffi.Array", "data": [self.of_type("test.interop.Var") for _ in range(rng.randint(0, 3))]}
            )
            return self.object("Func", params=params, body=self.any())
        if kind == 12:
            return self.object("Let", var=self.of_type("test.interop.Var"), value=self.any(), body=self.any())
        if kind == 13:
            return self.object("Hooked", a=self.of_type("test.interop.Var"), b=self.any(), c=self.any())
        if kind == 14:
            return self.object(
                "Scalars",
                i=rng.randint(-3, 3),
                f=rng.choice([1.0, 2.5]),
                b=True,
                small=rng.randint(-3, 3),
                dtype="int8",
                text=self.text(),
            )
        if kind < 17:
            return self.object("Tree", a=self.any(), b=self.any(), note=self.text())
        return self.object(rng.choice(["Const", "Dag", "Unique"]), a=self.any())

    @staticmethod
    def object(name, /, **fields):
        return {"type": "test.interop." + name, "data": fields}

    def copy_of(self, root):
        """Index of a copy of what `root` leads to: some parts stay shared with it, some differ. Sharing inside it is kept,
        mostly."""
        copies = {}
        keep, change, split = (self.rng.choice([0, 0, 0.1]) for _ in range(3))
        change /= 3

        def copy(i):
            if i in copies and self.rng.random() >= split:
                return copies[i]
            node = self.nodes[i]
            if self.rng.random() < keep:
                copies[i] = i
            else:
                copies[i] = self.add(self.changed(node, change, copy))
            return copies[i]

        return copy(root)

    def changed(self, node, change, copy):
        data = node.get("data")
        if self.rng.random() < change:
            if node["type"] in ("ffi.Array", "ffi.List"):
                return {
                    "type": node["type"],
                    "data": [copy(i) for i in data[:-1]] if self.rng.random() < 0.5 else [copy(i) for i in data] + [0],
                }
            if node["type"] in ("ffi.Map", "ffi.Dict"):
                return {"type": node["type"], "data": [copy(i) for i in data[2:]]}
            if node["type"] == "int":
                return {"type": "int", "data": data + 1}
        if node["type"].startswith("test.interop.") and node["type"] != "test.interop.Upper":
            inline = {"i", "f", "b", "small", "dtype"} if node["type"].endswith("Scalars") else ()
            return {"type": node["type"], "data": {k: v if k in inline else copy(v) for k, v in data.items()}}
        if node["type"] in ("ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict"):
            return {"type": node["type"], "data": [copy(i) for i in data]}
        return dict(node)


def test_random_graphs_go_through_alike(both):
    requests = []
    for seed in range(300):
        text = graph(RandomGraph(seed, 40).nodes, **({"metadata": {"v": [1, None]}} if seed % 2 else {}))
        requests += [
            ["ffi.FromJSONGraphString", text],
            ["ffi.ToJSONGraphString", {"result": len(requests)}, None],
            ["ffi.json.Parse", text],
            ["ffi.FromJSONGraph", {"result": len(requests) + 2}],
            ["ffi.ToJSONGraph", {"result": len(requests) + 3}, "meta"],
            ["ffi.json.Stringify", {"result": len(requests) + 4}, 1],
        ]
    pairs = both(requests)
    check_same(requests, pairs)
    assert not any(kind_of(ours) for _, ours in pairs)


MALFORMED = [
    "5",
    "[]",
    "{}",
    '{"root_index":0}',
    '{"nodes":[]}',
    '{"root_index":0,"nodes":[]}',
    '{"root_index":0,"nodes":5}',
    '{"root_index":0,"nodes":{}}',
    '{"root_index":"0","nodes":[]}',
    '{"root_index":true,"nodes":[{"type":"None"}]}',
    '{"root_index":0.0,"nodes":[{"type":"None"}]}',
    '{"root_index":-1,"nodes":[{"type":"None"}]}',
    '{"root_index":1,"nodes":[{"type":"None"}]}',
]
MALFORMED += [
    graph([node])
    for node in [
        {"data": 1},
        {"type": "int"},
        {"type": 5, "data": {}},
        5,
        [],
        {"type": "nope", "data": {}},
        {"type": "int", "data": "x"},
        {"type": "int", "data": True},
        {"type": "int", "data": 1.5},
        {"type": "int", "data": None},
        {"type": "bool", "data": 1},
        {"type": "bool", "data": 5},
        {"type": "bool", "data": "x"},
        {"type": "float", "data": 1},
        {"type": "float", "data": True},
        {"type": "float", "data": None},
        {"type": "None", "data": 7},
        {"type": "DataType", "data": "zzz"},
        {"type": "DataType", "data": 5},
        {"type": "Device", "data": [1]},
        {"type": "Device", "data": [1, 0, 0]},
        {"type": "Device", "data": [1, "a"]},
        {"type": "Device", "data": "cpu"},
        {"type": "ffi.String", "data": 5},
        {"type": "ffi.Bytes", "data": 5},
        {"type": "ffi.Bytes", "data": ""},
        {"type": "ffi.Array", "data": 5},
        {"type": "ffi.Array", "data": ["a"]},
        {"type": "ffi.Array", "data": [1]},
        {"type": "ffi.Array", "data": [-1]},
        {"type": "ffi.Array", "data": [1.0]},
        {"type": "ffi.Map", "data": [0]},
        {"type": "ffi.Dict", "data": [0]},
        {"type": "ffi.Shape", "data": ["a"]},
        {"type": "ffi.Shape", "data": [1.5]},
        {"type": "ffi.Shape", "data": [True]},
        {"type": "ffi.BigInt", "data": "12"},
        {"type": "ffi.BigInt", "data": 12},
        {"type": "ffi.BigInt", "data": "x"},
        {"type": "ffi.BigInt", "data": "-0012"},
        {"type": "ffi.BigInt", "data": "-0"},
        {"type": "test.interop.Defaults", "data": {}},
        {"type": "test.interop.Defaults", "data": {"given": 1}},
        {"type": "test.interop.Defaults", "data": {"given": 1, "other": 5}},
        {"type": "test.interop.Defaults", "data": {"given": True}},
        {"type": "test.interop.Defaults", "data": {"given": 1.5}},
        {"type": "test.interop.Defaults", "data": {"given": 1, "list": "x"}},
        {"type": "test.interop.Defaults", "data": {"given": 1, "list": None}},
        {"type": "test.interop.Defaults", "data": [1]},
        {"type": "test.interop.Defaults"},
        {"type": "test.interop.Upper", "data": 5},
        {"type": "test.interop.Upper", "data": []},
    ]
]
MALFORMED += [
    graph([{"type": "ffi.Array", "data": [True]}, {"type": "int", "data": 3}], root=0),
    graph([{"type": "ffi.Array", "data": [1]}, {"type": "int", "data": 3}], root=0),
    graph([{"type": "ffi.Map", "data": [1, 1, 1, 2]}, {"type": "int", "data": 3}, {"type": "int", "data": 4}], root=0),
    graph([{"type": "zzz"}, {"type": "int", "data": 5}]),
    graph([{"type": "int", "data": 5, "more": 1}], more=[1]),
]


def test_malformed_graphs_fail_alike(both):
    requests = []
    for text in MALFORMED:
        requests += [["ffi.FromJSONGraphString", text], ["ffi.ToJSONGraphString", {"result": len(requests)}, None]]
    for request, (peer, ours) in zip(requests, both(requests)):
        assert kind_of(ours) == kind_of(peer) and (kind_of(ours) or ours == peer), request


# What the package crashes on, or lets pass: errors here.
REFUSED = [
    ({"type": "ffi.SmallStr", "data": "a"}, "RuntimeError"),
    ({"type": "void*", "data": {}}, "RuntimeError"),
    ({"type": "ffi.Tensor", "data": {}}, "RuntimeError"),
    ({"type": "ffi.Object", "data": {}}, "RuntimeError"),
    ({"type": "ffi.Function", "data": 5}, "RuntimeError"),
    ({"type": "ffi.Array", "data": [0]}, "ValueError"),
    ({"type": "ffi.Bytes", "data": "A*=="}, "ValueError"),
    ({"type": "Device", "data": [2**32 + 1, 0]}, "ValueError"),
]


def test_what_the_package_does_not_survive_is_an_error(tmp_path):
    build_types(OURS, tmp_path / "types.so")
    requests = [["ffi.FromJSONGraphString", graph([node])] for node, _ in REFUSED]
    done = subprocess.run(
        [sys.executable, str(HERE / "contract_driver.py"), str(OURS), str(tmp_path / "types.so")],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [kind_of(result) for result in json.loads(done.stdout)] == [kind for _, kind in REFUSED]


def test_values_that_no_graph_holds_are_errors_alike(both):
    requests = [["test.interop.tensor", 3], ["ffi.ToJSONGraphString", {"result": 0}, None]]
    assert [kind_of(r) for r in both(requests)[1]] == ["TypeError", "TypeError"]


# ---- Structure -------------------------------------------------------------------------------------------------------------


def comparisons(first, count):
    """Requests that compare parts of random graphs, five a pair and options: equal, mismatch, its text, both hashes."""
    requests = []
    for seed in range(first, first + count):
        built = RandomGraph(seed, 25)
        root = len(built.nodes) - 1
        pair = built.add({"type": "ffi.Array", "data": [root, built.copy_of(root)]})
        base = len(requests)
        requests += [
            ["ffi.FromJSONGraphString", graph(built.nodes, root=pair)],
            ["test.interop.item", {"result": base}, 0],
            ["test.interop.item", {"result": base}, 1],
        ]
        lhs, rhs = {"result": base + 1}, {"result": base + 2}
        for options in ([False, False], [True, False]):
            requests += [
                ["ffi.StructuralEqual", lhs, rhs, *options],
                ["ffi.GetFirstStructuralMismatch", lhs, rhs, *options],
                ["test.interop.path_text", {"result": len(requests) + 1}],
                ["ffi.StructuralHash", lhs, *options],
                ["ffi.StructuralHash", rhs, *options],
            ]
    return requests


@pytest.mark.parametrize("first", [0, 1000, 2000])
def test_random_graphs_compare_alike(both, first):
    requests = comparisons(first, 1000)
    pairs = both(requests)
    equal = unequal = collisions = 0
    for i, (request, (peer, ours)) in enumerate(zip(requests, pairs)):
        if request[0] == "ffi.StructuralHash":
            continue
        assert (kind_of(ours), None if kind_of(ours) else ours) == (
            kind_of(peer),
            None if kind_of(peer) else peer,
        ), request
        if request[0] == "ffi.StructuralEqual" and ours is True:
            equal += 1
            # The contract's own hash tells some equal values apart that share parts with binders; ours may in the same places.
            (peer_lhs, our_lhs), (peer_rhs, our_rhs) = pairs[i + 3], pairs[i + 4]
            assert our_lhs == our_rhs or peer_lhs != peer_rhs, requests[i - 1]
        elif request[0] == "ffi.StructuralEqual" and ours is False:
            (peer_lhs, our_lhs), (peer_rhs, our_rhs) = pairs[i + 3], pairs[i + 4]
            unequal += 1
            # Both hash unique instances by content, and leave out map keys that are objects.
            collisions += our_lhs == our_rhs and peer_lhs != peer_rhs
    assert equal > 100 and unequal > 100
    assert collisions < 5  # more keys than there are left out here


def test_functions_say_what_they_take(both):
    names = [
        "ffi.StructuralEqual",
        "ffi.GetFirstStructuralMismatch",
        "ffi.StructuralHash",
        "ffi.ToJSONGraph",
        "ffi.ToJSONGraphString",
        "ffi.FromJSONGraph",
        "ffi.FromJSONGraphString",
        "ffi.json.Parse",
        "ffi.json.Stringify",
    ]
    requests = [["ffi.GetGlobalFuncMetadata", name] for name in names]
    check_same(requests, both(requests))


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, *sys.argv[1:]]))
