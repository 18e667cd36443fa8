"""The plots draw what the boosters report."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.learners import AdaBoostMH, HAdaBoostMH
from truepath.learners.boosting.plots import plot_level_errors, plot_losses, plot_margins, plot_top_k

matplotlib = pytest.importorskip("matplotlib")
TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


@pytest.fixture(autouse=True)
def no_windows():
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def fitted():
    rng = np.random.default_rng(0)
    leaf = rng.integers(0, 3, 60)
    X = np.eye(3)[leaf] + 0.5 * rng.normal(size=(60, 3))
    Y = TREE.close(np.eye(3, dtype=bool)[leaf] @ np.eye(5, dtype=bool)[TREE.leaves])
    return HAdaBoostMH(hierarchy=TREE, n_estimators=8).fit(X, Y), X, Y


def test_losses_are_those_of_training(fitted):
    booster, X, Y = fitted
    ax = plot_losses({"H-Ada.MH": booster, "Ada.MH": AdaBoostMH(hierarchy=TREE, n_estimators=4).fit(X, Y)}, X, Y)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), booster.training_loss_)
    assert len(ax.lines[1].get_ydata()) == 4


def test_margins_lie_between_minus_one_and_one(fitted):
    booster, X, Y = fitted
    ax = plot_margins(booster, X, Y)
    for line in ax.lines[:-1]:
        assert (np.abs(line.get_xdata()) <= 1 + 1e-12).all()


def test_levels_and_top_k(fitted):
    booster, X, Y = fitted
    ax = plot_level_errors(booster, X, Y)
    assert len(ax.lines) == TREE.height
    wrong = 1 - (booster.predict(X) == Y)[:, TREE.roots].all(axis=1).mean()
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(wrong)
    assert len(plot_top_k({"mine": booster.predict_proba(X)}, Y, TREE, ax=ax).lines) == TREE.height + 1
