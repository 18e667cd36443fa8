"""The tree kernels with every index checked, in a process and a cache of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from places import SOURCES

SCRIPT = """
import numpy as np
from scipy import sparse
from truepath.data import make_hmc
from truepath.learners import PCTForest, PCTree

rng = np.random.default_rng(0)
ds = make_hmc(120, 6, 25, dag=True, random_state=0).merge()
part = ds["all"]
X = np.where(rng.random(part.X.shape) < 0.15, np.nan, np.round(part.X, 1))
X[:, 0] = rng.integers(0, 70, len(X))  # more nominal values than bits in a word
X[:, 1] = np.where(rng.random(len(X)) < 0.9, 0, X[:, 1])  # mostly one value
for missing in ("surrogate", "learned", "fractional"):
    for splitter in ("best", "random"):
        settings = dict(n_estimators=3, missing=missing, splitter=splitter, categorical_features=[0])
        forest = PCTForest(hierarchy=ds.hierarchy, random_state=0, min_leaf_weight=1, **settings)
        forest.fit_held_out(X, part.y, sample_weight=rng.random(len(X)))
        forest.predict_proba(X)
PCTree(hierarchy=ds.hierarchy, significance=0.1).fit(sparse.csr_array(np.nan_to_num(X)), part.y).apply(X)
PCTree(hierarchy=ds.hierarchy).fit(X[:1], part.y[:1]).predict_proba(X)
print("checked")
"""


@pytest.mark.slow
def test_no_kernel_steps_out_of_its_arrays(bounds_checked):
    environment = {**bounds_checked, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "checked"
