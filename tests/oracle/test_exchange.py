"""Files go from TVM to Transom and back."""
import json

import pytest
import tvm_env

CASES = [(release, path) for release in tvm_env.RELEASES for path in tvm_env.data_files(release)]


@pytest.fixture(scope="module")
def tvms():
    workers = {release: tvm_env.Tvm(release) for release in tvm_env.RELEASES}
    yield workers
    for worker in workers.values():
        worker.close()


@pytest.mark.parametrize("release,path", CASES, ids=lambda value: getattr(value, "name", value))
def test_files_of_tvm_come_back_byte_for_byte(release, path, tmp_path):
    out = tmp_path / "out.json"
    status, _, err = tvm_env.run_tool("convert", path, out)
    assert status == 0, err
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("release,path", CASES, ids=lambda value: getattr(value, "name", value))
def test_tvm_loads_what_the_tool_writes(release, path, tmp_path, tvms):
    """Edited files, nodes in any order, some of them out of reach; with the schema in the file too."""
    for seed in range(12):
        edited, normal, resaved = (tmp_path / name for name in ("edited.json", "normal.json", "resaved.json"))
        _, _, breach = tvm_env.edit(release, path, edited, normal, seed)
        tvm = tvms[release]
        if breach or tvm.ask(lhs=str(path), rhs=str(edited), resaved=str(resaved))["status"] != "ok":
            continue
        kept = tvm_env.nodes_of(resaved) == tvm_env.nodes_of(normal)  # else TVM reads another value
        # A variable without its binder is equal to itself only, so TVM may tell a file from its second loading.
        closed = tvm.ask(lhs=str(edited), rhs=str(edited))["equal"]
        for options in ([], ["--embed-schema"], ["--indent", "2"]):
            out = tmp_path / "out.json"
            status, _, err = tvm_env.run_tool("convert", *options, edited, out)
            assert status == 0, err
            assert tvm_env.nodes_of(out) == tvm_env.nodes_of(normal)
            answer = tvm.ask(lhs=str(edited), rhs=str(out), resaved=str(resaved))
            assert answer["status"] == "ok" and (answer["equal"] or not closed), (seed, options, answer)
            assert not kept or tvm_env.nodes_of(resaved) == tvm_env.nodes_of(out)


@pytest.mark.parametrize("release", tvm_env.RELEASES)
def test_tensor_bytes_count(release, tmp_path, tvms):
    """A changed byte of a constant is a difference for both, at one place; without the content there is none."""
    source = tvm_env.DATA_DIR / f"tvm-{release}" / "const.json"
    graph = json.loads(source.read_text())
    (tensor,) = (node for node in graph["nodes"] if node["type"] == "ffi.Tensor")
    assert tensor["data"].endswith("AAoEA=")
    tensor["data"] = tensor["data"][:-6] + "AAsEA="
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(graph))
    answer = tvms[release].ask(lhs=str(source), rhs=str(changed))
    assert answer["status"] == "ok" and not answer["equal"] and not answer["hash_equal"]
    status, out, _ = tvm_env.run_tool("diff", "--first", "--format", "json", source, changed)
    (difference,) = json.loads(out)["differences"]
    assert (status, difference["lhs"], difference["rhs"]) == (1, answer["lhs"], answer["rhs"])
    assert tvm_env.run_tool("diff", "-q", "--skip-tensor-content", source, changed)[0] == 0
