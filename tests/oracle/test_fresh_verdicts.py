"""As test_verdicts, on edits that no run has seen: other seeds each time, several edits, edited files on both sides.

TRANSOM_ORACLE_SEED repeats a run (the seed is in every message), TRANSOM_ORACLE_PAIRS sets the pairs per release.
"""
import os
import random
import secrets

import pytest
import tvm_env
from verdicts import check, is_comparable

SEED = int(os.environ.get("TRANSOM_ORACLE_SEED", secrets.randbelow(2**32)))
PAIRS = int(os.environ.get("TRANSOM_ORACLE_PAIRS", "150"))


class Editor:
    """Edited files of one release, in a folder."""

    def __init__(self, release, folder, rng):
        self.release, self.folder, self.rng = release, folder, rng

    def path(self, name):
        return self.folder / f"{name}.json"

    def edited(self, source, name, num_edits):
        """The file after some edits, as a writer would write it; what was done; the declared type that is broken."""
        trace = [source.name]
        for step in range(num_edits):
            seed = self.rng.randrange(2**40)
            target = self.path(f"{name}{step}")
            kind, what, breach = tvm_env.edit(self.release, source, target, self.path(name), seed)
            trace.append(f"{kind} {what} ({seed})")
            if breach:
                return target, target, trace, breach
            source = self.path(name).replace(self.path(f"{name}{step}.normal"))
        return target, source, trace, ""


@pytest.mark.parametrize("release", tvm_env.RELEASES)
def test_fresh_edits(release, tmp_path):
    rng = random.Random(f"{SEED} {release}")
    editor = Editor(release, tmp_path, rng)
    files = tvm_env.data_files(release)
    tvm = tvm_env.Tvm(release)
    resaved = tmp_path / "resaved.json"
    problems, compared, different = [], 0, 0
    for _ in range(PAIRS):
        source = rng.choice(files)
        lhs, trace = source, [source.name]
        if rng.randrange(3) == 0:
            lhs, normal, trace, breach = editor.edited(source, "lhs", rng.randrange(1, 3))
            answer = tvm.ask(lhs=str(source), rhs=str(lhs), resaved=str(resaved))
            if breach or not is_comparable(answer, breach, normal, resaved):
                continue
        rhs, normal, right_trace, breach = editor.edited(source, "rhs", rng.randrange(1, 4))
        answer = tvm.ask(lhs=str(lhs), rhs=str(rhs), resaved=str(resaved))
        if not is_comparable(answer, breach, normal, resaved):
            continue
        compared += 1
        different += answer.get("equal") is False
        problems += [f"{trace} against {right_trace}: {p}" for p in check(answer, lhs, rhs, breach)]
    tvm.close()
    print(f"TRANSOM_ORACLE_SEED={SEED} {release}: {compared} pairs, {different} of them different")
    assert not problems, f"TRANSOM_ORACLE_SEED={SEED}\n" + "\n".join(problems)
    assert compared > PAIRS / 2, f"TRANSOM_ORACLE_SEED={SEED}: {compared} of {PAIRS}"
