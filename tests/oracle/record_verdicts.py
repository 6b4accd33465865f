"""Writes tests/data/tvm_verdicts.tsv: what TVM says about seeded edits of its files, for tests that run without TVM.

Columns: file, seed, kind of edit, "refused" or "equal" or "unequal", the same for the hashes, the two paths of the
first mismatch.
"""
import tempfile

import tvm_env

SEEDS = range(60)
HEADER = "file\tseed\tkind\tverdict\thash\tlhs\trhs"


def record(release, folder):
    tvm = tvm_env.Tvm(release)
    target, normal, resaved = (f"{folder}/{name}.json" for name in ("edited", "normal", "resaved"))
    for source in tvm_env.data_files(release):
        for seed in SEEDS:
            kind, _, breach = tvm_env.edit(release, source, target, normal, seed)
            answer = tvm.ask(lhs=str(source), rhs=target, resaved=resaved)
            if answer["status"] == "crash" and not breach:
                continue
            if not breach and answer["status"] == "ok" and tvm_env.nodes_of(resaved) != tvm_env.nodes_of(normal):
                continue  # TVM made another value of it
            if not breach and not tvm_env.is_sound(normal):
                continue
            row = [f"tvm-{release}/{source.name}", str(seed), kind]
            if breach or answer["status"] != "ok":
                yield row + ["refused", "", "", ""]
            else:
                words = ["equal" if answer[key] else "unequal" for key in ("equal", "hash_equal")]
                yield row + words + [answer["lhs"], answer["rhs"]]
    tvm.close()


def main():
    lines = [HEADER]
    with tempfile.TemporaryDirectory() as folder:
        for release in tvm_env.RELEASES:
            lines += ["\t".join(row) for row in record(release, folder)]
    (tvm_env.DATA_DIR / "tvm_verdicts.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
