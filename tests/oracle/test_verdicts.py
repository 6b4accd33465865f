"""Equality, hash and first mismatch of the tool against TVM's own, on seeded edits of files that TVM wrote."""
import itertools

import pytest
import tvm_env
from verdicts import check, is_comparable

SEEDS = range(80)


@pytest.mark.parametrize("release", tvm_env.RELEASES)
def test_edits(release, tmp_path):
    tvm = tvm_env.Tvm(release)
    problems, kinds, skipped = [], {}, 0
    for source in tvm_env.data_files(release):
        for seed in SEEDS:
            target, normal, resaved = (tmp_path / name for name in ("edited.json", "normal.json", "resaved.json"))
            kind, what, breach = tvm_env.edit(release, source, target, normal, seed)
            answer = tvm.ask(lhs=str(source), rhs=str(target), resaved=str(resaved))
            if not is_comparable(answer, breach, normal, resaved):
                skipped += 1
                continue
            kinds[kind] = kinds.get(kind, 0) + 1
            problems += [f"{source.name} seed {seed} {kind} {what}: {p}" for p in check(answer, source, target, breach)]
    tvm.close()
    assert not problems, "\n".join(problems)
    assert len(kinds) > 10 and skipped < sum(kinds.values()) / 10, (kinds, skipped)


@pytest.mark.parametrize("release", tvm_env.RELEASES)
def test_stages(release):
    """Every two files of a release."""
    tvm = tvm_env.Tvm(release)
    files = tvm_env.data_files(release)
    problems = []
    for lhs, rhs in itertools.product(files, files):
        if lhs.read_bytes() != rhs.read_bytes():
            answer = tvm.ask(lhs=str(lhs), rhs=str(rhs))
            problems += [f"{lhs.name} {rhs.name}: {p}" for p in check(answer, lhs, rhs, "")]
    tvm.close()
    assert not problems, "\n".join(problems)
