"""The tests of what calls kernels once more, with numba checking every index; kernels are compiled anew for that.

Kernels whose tests are many run a script instead, beside those tests: trees, leaves, combiners and cutset networks.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT, SOURCES, TESTS

#: Files and folders by what their kernels do
GROUPS = {
    "boosting": ["learners/boosting/test_stumps.py", "learners/boosting/test_ada_boost_mh.py"],
    "boosted": [f"learners/boosted/test_{name}.py" for name in ("growth", "boosted_trees", "targets")],
    "bayes": ["learners/bayes/test_global_naive_bayes.py"],
    "expected": ["decoders/expected/test_f_measure.py"],
    "hierarchy": ["hierarchy"],
    "linear": [
        "kernels/linear/test_block_descent.py",
        "kernels/linear/test_dense_models.py",
        "learners/linear/test_label_groups.py",
        "learners/linear/test_sparse_linear.py",
    ],
    "metrics": ["metrics/test_oracles.py", "kernels/metrics/test_losses_and_ranking.py"],
    "tables": ["data/tables/test_cut.py"],
    "thresholds": ["decoders/thresholds/test_against_oracles.py"],
    "of several modules": ["cafa/test_evaluate.py", "classifier/test_top.py", "learners/reasons/test_contributions.py"],
}
#: Of a group with many tests: those that reach its kernels
CHOSEN = {"boosting": "every_cut or more_classes or deeper or any_n_jobs or generated or categories or gaussian"}


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_no_kernel_leaves_its_arrays(bounds_checked, group):
    path = f"{SOURCES}{os.pathsep}{TESTS}"
    environment = {**bounds_checked, "CI": "1", "TRUEPATH_TEST_EXAMPLES": "60", "PYTHONPATH": path}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += ["-k", CHOSEN[group]] if group in CHOSEN else []
    files = [str(TESTS / name) for name in GROUPS[group]]
    done = subprocess.run([*command, *files], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert list(Path(environment["NUMBA_CACHE_DIR"]).rglob("*.nbc")), "nothing was compiled: the check checked nothing"
