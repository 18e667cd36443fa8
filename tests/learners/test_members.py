"""Learners are found by name, and one that is defined anywhere is a member like the others."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import truepath.learners
from learners_room import LEARNERS, members
from places import ROOT
from truepath.errors import TruePathError
from truepath.learners import HierarchicalLearner, PCTForest
from truepath.registry import LEARNERS as REGISTRY

ELSEWHERE = '''
import numpy as np

from truepath.hierarchy.matrices import as_dense
from truepath.learners import HierarchicalLearner
from truepath.learners.base import check_fit_input, check_predict_input


class BaseRates(HierarchicalLearner):
    """Scores every row by the share of training rows that have the label."""

    name = "base-rates"
    summary = "the share of training rows that have the label"
    learns_from = "labels"

    def __init__(self, *, hierarchy=None):
        self.hierarchy = hierarchy

    def fit(self, X, y, sample_weight=None):
        given = check_fit_input(self, X, y, sample_weight)
        self.shares_ = np.average(as_dense(given.y), axis=0, weights=given.sample_weight)
        return self

    def predict_proba(self, X):
        X = check_predict_input(self, X)
        return np.tile(self.shares_, (X.shape[0], 1))
'''


@pytest.mark.slow
def test_a_learner_defined_elsewhere_is_run_through_the_common_suite(tmp_path):
    """Nothing else is touched: importing the module is all it takes."""
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE)
    path = os.pathsep.join([str(tmp_path), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    wanted = "base-rates and (shapes or clone or errors or paths or sparse or repetitions)"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "elsewhere", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, "-k", wanted, "tests/learners/test_common.py"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 passed" in done.stdout


def test_every_exported_learner_has_a_name():
    exported = [getattr(truepath.learners, name) for name in truepath.learners.__all__]
    learners = {cls for cls in exported if isinstance(cls, type) and issubclass(cls, HierarchicalLearner)}
    named = set(REGISTRY.members())
    assert learners - {HierarchicalLearner} == named


@pytest.mark.parametrize("name", LEARNERS)
def test_a_member_says_what_it_is(name):
    cls = members()[name]
    assert vars(cls)["name"] == name == name.lower().strip()
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert cls.summary
    assert "\n" not in cls.summary
    assert not cls.summary.endswith(".")
    assert cls.learns_from
    assert isinstance(cls.needs, tuple)


def test_a_name_finds_its_learner():
    assert REGISTRY["pct-forest"] is PCTForest
    with pytest.raises(TruePathError, match=r"no learner is called 'pct-forrest'\. Did you mean 'pct-forest'"):
        REGISTRY["pct-forrest"]
