"""Local scores for comparing combiners, kept in a folder; how they are made is in ``truepath.papers``.

Run ``PYTHONPATH=src python benchmarks/local_scores.py CACHE_FOLDER [dataset ...]``; the results are kept in the folder.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from truepath.papers.zhang2014.local_scores import LocalScores, make_local_scores

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NAMES = ("cellcycle_FUN", "derisi_FUN", "gasch1_FUN", "cellcycle_GO", "imclef07a")


def load(name, folder):
    """Return the scores of a data set from the folder."""
    from truepath import load_dataset

    with np.load(Path(folder) / f"{name}.npz") as kept:
        arrays = [kept[field] for field in ("S_train", "Y_train", "S_test", "Y_test")]
        return LocalScores(*arrays, load_dataset(f"hmc/{name}", home=DATA).hierarchy, float(kept["C"]))


def main(folder, names):
    for name in names or NAMES:
        file = Path(folder) / f"{name}.npz"
        if not file.exists():
            start = time.perf_counter()
            made = make_local_scores(name, DATA)._asdict()
            del made["hierarchy"]
            np.savez(file, **made)
            print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
