"""Kernels that have no file of their own for it: the tests of what calls them, with every index checked."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from places import ROOT, SOURCES, TESTS

FILES = [
    "cafa/test_evaluate.py",
    "classifier/test_top.py",
    "learners/linear/test_label_groups.py",
    "learners/linear/test_sparse_linear.py",
    "learners/reasons/test_contributions.py",
]


@pytest.mark.slow
def test_no_kernel_leaves_its_arrays(bounds_checked):
    environment = {**bounds_checked, "CI": "1", "PYTHONPATH": f"{SOURCES}{os.pathsep}{TESTS}"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider"]
    files = [str(TESTS / name) for name in FILES]
    done = subprocess.run([*command, *files], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
