"""PerParent with logistic regression against HiClass's local classifier per parent node.

HiClass pins other versions of its dependencies, so it runs in an interpreter of its own::

    python -m venv hiclass-venv && hiclass-venv/bin/pip install hiclass
    PYTHONPATH=src python benchmarks/bench_local.py --hiclass hiclass-venv/bin/python

Both libraries fit the same standardised rows, one path each, with the same estimator, in turns, one thread each. Times
are medians of CPU seconds over the rounds, so that other work on the machine does not count; hF is micro-averaged on
the test rows. HiClass always walks to a leaf, so the best leaf, which is what it predicts, is listed beside our default
decision (marginals above one half). Without HiClass only ours is measured. Like HiClass, ``policy="siblings"`` leaves
rows that stop at a parent out of that parent's problem; the default, ``"parents"``, learns where paths stop, as one
more class.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from data_folder import make_parser, open_sets
from sklearn.linear_model import LogisticRegression

DATASETS = ("imclef07a", "diatoms")
POLICIES = ("siblings", "parents")
MAX_ITER = 1000
WARM_UP = 60  # rows of a first fit that is not timed: imports and compiled code are loaded by then


def estimator():
    return LogisticRegression(max_iter=MAX_ITER)


def fit_hiclass(data):
    """Fit HiClass once; return the seconds and the predicted levels."""
    from hiclass import LocalClassifierPerParentNode

    LocalClassifierPerParentNode(estimator()).fit(data["X"][:WARM_UP], data["levels"][:WARM_UP])
    start = time.process_time()
    model = LocalClassifierPerParentNode(estimator()).fit(data["X"], data["levels"])
    seconds = time.process_time() - start
    return seconds, {"levels": model.predict(data["X_test"]).astype(str)}


def fit_truepath(data, policy):
    """Fit PerParent once; return the seconds and the marginals."""
    from truepath import Hierarchy
    from truepath.learners import PerParent

    hierarchy = Hierarchy.from_json(str(data["hierarchy"]))
    Y = hierarchy.encode(data["levels"])
    PerParent(estimator(), hierarchy=hierarchy, policy=policy).fit(data["X"][:WARM_UP], Y[:WARM_UP])
    start = time.process_time()
    model = PerParent(estimator(), hierarchy=hierarchy, policy=policy).fit(data["X"], Y)
    seconds = time.process_time() - start
    return seconds, {"S": model.predict_proba(data["X_test"])}


def work(library: str, path: str) -> None:
    """Fit in this process, save the predictions beside the data, print the seconds."""
    data = np.load(path)
    seconds, found = fit_hiclass(data) if library == "hiclass" else fit_truepath(data, library)
    np.savez(path.replace(".npz", f".{library}.npz"), **found)
    print(json.dumps(seconds))


def level_table(Y, hierarchy) -> np.ndarray:
    """Return one column per level: the names on each row's path, empty below its end."""
    levels = np.full((Y.shape[0], hierarchy.height), "", dtype=np.asarray(hierarchy.names.tolist()).dtype)
    for i in range(Y.shape[0]):
        deepest = max(np.flatnonzero(Y[i]), key=lambda v: hierarchy.depth[v])
        for v in [*hierarchy.ancestors(deepest), deepest]:
            levels[i, hierarchy.depth[v] - 1] = hierarchy.names[v]
    return levels


def save_dataset(name: str, folder: str):
    """Write what both libraries need; return the path, the hierarchy and the true test labels."""
    from truepath.data import load_dataset

    ds = load_dataset(f"hmc/{name}")
    mean, scale = ds.train.X.mean(axis=0), ds.train.X.std(axis=0)
    scale[scale == 0] = 1
    X, X_test = (ds.train.X - mean) / scale, (ds.test.X - mean) / scale
    path = os.path.join(folder, f"{name}.npz")
    np.savez(path, X=X, X_test=X_test, levels=level_table(ds.train.y, ds.hierarchy), hierarchy=ds.hierarchy.to_json())
    return path, ds.hierarchy, ds.test.y


def measure(name: str, pythons: dict[str, str], rounds: int) -> list[str]:
    """Return the Markdown rows of one data set, one for each policy."""
    with tempfile.TemporaryDirectory() as folder:
        path, hierarchy, truth = save_dataset(name, folder)
        seconds: dict[str, list[float]] = {library: [] for library in pythons}
        for i in range(rounds):
            for library in list(pythons)[:: 1 if i % 2 else -1]:  # there and back, so that none always comes first
                command = [pythons[library], __file__, "--work", library, path]
                done = subprocess.run(command, check=True, capture_output=True, text=True, env=one_thread())
                seconds[library].append(json.loads(done.stdout.splitlines()[-1]))
        found = {library: np.load(path.replace(".npz", f".{library}.npz")) for library in pythons}
        theirs = found["hiclass"]["levels"] if "hiclass" in found else None
        scores = {policy: found[policy]["S"] for policy in POLICIES}
    hiclass = "" if theirs is None else f1(truth, hierarchy.encode(theirs), hierarchy)
    return [
        describe(name, policy, seconds, scores[policy], truth, hierarchy) + f" | {hiclass} |" for policy in POLICIES
    ]


def f1(truth, found, hierarchy) -> str:
    from truepath.metrics import hierarchical_f1

    return f"{hierarchical_f1(truth, found, hierarchy):.4f}"


def describe(name, policy, seconds, S, truth, hierarchy) -> str:
    """Return the times, their ratio (of medians; in brackets the range of the rounds') and our two hF."""
    from truepath.decoders import TopLeaves

    ours, theirs = np.array(seconds[policy]), np.array(seconds.get("hiclass", []))
    beside = ["not measured", ""]
    if theirs.size:
        each = ours / theirs
        ratio = f"{np.median(ours) / np.median(theirs):.2f} ({each.min():.2f}-{each.max():.2f})"
        beside = [f"{np.median(theirs):.2f} s", ratio]
    cells = [
        name,
        policy,
        f"{np.median(ours):.2f} s",
        *beside,
        f1(truth, TopLeaves(k=1, hierarchy=hierarchy).predict(S), hierarchy),
        f1(truth, S > 0.5, hierarchy),
    ]
    return "| " + " | ".join(cells)


def one_thread() -> dict[str, str]:
    """Return the environment with one BLAS and OpenMP thread."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--hiclass", default=os.environ.get("HICLASS_PYTHON"), help="interpreter that has hiclass")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", nargs=2, metavar=("LIBRARY", "FILE"), help="fit once, in a process of its own")
    options = parser.parse_args()
    if options.work:
        work(*options.work)
        return
    if not options.hiclass:
        print("HiClass is not measured: say where it is installed with --hiclass PYTHON", file=sys.stderr)
    print(
        "| data set | policy | PerParent fit | HiClass LCPPN fit | ratio | hF best leaf | hF above 1/2 | hF HiClass |"
    )
    print("|---|---|---|---|---|---|---|---|")
    pythons = dict.fromkeys(POLICIES, sys.executable) | ({"hiclass": options.hiclass} if options.hiclass else {})
    names = [f"hmc/{name}" for name in (DATASETS[:1] if options.smallest else DATASETS)]
    for name in open_sets(names, options.smallest):
        for row in measure(name.removeprefix("hmc/"), pythons, 1 if options.smallest else options.rounds):
            print(row, flush=True)


if __name__ == "__main__":
    main()
