"""The default for words beside its members alone: sparse sets of up to 3,000 training rows.

Run as ``python benchmarks/bench_words.py``. Prints AU(PRC) on test rows of linear models, a kernel ridge regression of
cosines and a forest, each alone, of their blends with FAEL, and what fitting the blends takes on one thread. The public
sets are looked for as in the other scripts; pypi-topics comes with the package.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from data_folder import make_parser, open_sets
from sklearn.base import clone

from truepath.classifier import default_learner
from truepath.data import load_dataset
from truepath.learners import TableBlend
from truepath.metrics import auprc

SETS = ["medical", "enron", "rcv1subset1_500", "arts", "bibtex", "tmc2007_500", "corel5k"]
MOST_ROWS = 3000
#: The blend of a budget of seconds, and of minutes without the second forest
BLENDS = {
    "words": ["linear", "kernel ridge, cosine"],
    "with a forest": ["linear", "kernel ridge, cosine", "forest"],
}


def open_parts(name):
    """Return a set's rows to learn from and to test on, 3,000 at most; seven to three where the set has no parts."""
    ds = load_dataset(name)
    if "train" not in ds:
        ds = ds.split((0.7, 0.3), random_state=0)
    parts = []
    for part in (ds.train, ds.test):
        rows = np.random.default_rng(1).permutation(len(part))[:MOST_ROWS]
        parts.append(part.take(np.sort(rows)))
    return ds.hierarchy, *parts


def measure(name):
    """Return the AU(PRC) of each member and blend, and the CPU seconds of the blends."""
    hierarchy, train, test = open_parts(name)
    features = clone(default_learner(train.X)[:-1]).fit(train.X, train.y)
    X, X_test = features.transform(train.X), features.transform(test.X)
    areas, seconds = {}, {}
    for what, members in BLENDS.items():
        begun = time.process_time()
        model = TableBlend(members=members, hierarchy=hierarchy, keep_held_out=True).fit(X, train.y)
        seconds[what] = time.process_time() - begun
        areas[what] = auprc(test.y, model.predict_proba(X_test), hierarchy)
        for member, learner in zip(members, model.stack_.learners_):
            areas[member] = auprc(test.y, learner.predict_proba(X_test), hierarchy)
    return len(train), X.shape[1], hierarchy.n_nodes, areas, seconds


def main():
    smallest = make_parser(__doc__).parse_args().smallest
    names = open_sets([f"mulan/{name}" for name in (SETS[:1] if smallest else SETS)], smallest)
    columns = ["linear", "kernel ridge, cosine", "forest", *BLENDS]
    print("| set | rows | words | labels |", " | ".join(columns), "| fit, CPU s | with a forest |")
    print("|---" * (len(columns) + 6) + "|")
    warnings.simplefilter("ignore")
    for name in [*names, *([] if smallest else ["pypi-topics"])]:
        *sizes, areas, seconds = measure(name)
        cells = [*map(str, sizes), *(f"{areas[column]:.3f}" for column in columns)]
        print(
            f"| {name.partition('/')[2] or name} |",
            " | ".join([*cells, *(f"{s:.1f}" for s in seconds.values())]),
            "|",
            flush=True,
        )


if __name__ == "__main__":
    main()
