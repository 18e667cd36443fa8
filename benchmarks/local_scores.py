"""Local scores for comparing combiners, kept in a folder; how they are made is in ``truepath.papers``.

Run ``PYTHONPATH=src python benchmarks/local_scores.py CACHE_FOLDER [dataset ...]``; the results are kept in the folder.
The data are looked for in ``$TRUEPATH_DATA``, else in ``../shared/data``.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from data_folder import make_parser, open_sets

from truepath.papers.zhang2014.local_scores import LocalScores, make_local_scores

NAMES = ("cellcycle_FUN", "derisi_FUN", "gasch1_FUN", "cellcycle_GO", "imclef07a")


def load(name, folder):
    """Return the scores of a data set from the folder."""
    from truepath import load_dataset

    with np.load(Path(folder) / f"{name}.npz") as kept:
        arrays = [kept[field] for field in ("S_train", "Y_train", "S_test", "Y_test")]
        return LocalScores(*arrays, load_dataset(f"hmc/{name}").hierarchy, float(kept["C"]))


def keep_scores(folder, names):
    """Make the scores that the folder does not have yet."""
    for name in names:
        file = Path(folder) / f"{name}.npz"
        if not file.exists():
            start = time.perf_counter()
            made = make_local_scores(name)._asdict()
            del made["hierarchy"]
            np.savez(file, **made)
            print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


def choose(description):
    """Return the folder and the data sets that the command names."""
    parser = make_parser(description)
    parser.add_argument("folder", nargs="?", help="where results are kept; a temporary one by default")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    names = ["imclef07a"] if asked.smallest else asked.names or NAMES
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="truepath-local-scores-"))
    return folder, [name.removeprefix("hmc/") for name in open_sets([f"hmc/{n}" for n in names], asked.smallest)]


if __name__ == "__main__":
    keep_scores(*choose(__doc__))
