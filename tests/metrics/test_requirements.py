"""Kiritchenko's requirements on a hierarchical measure, on the toy hierarchy of Triguero & Vens (Fig. 1).

The figure's edges follow from the text: c_B = c_C = c_D = 1/3; c_E = ... = c_H = 1/6, so two of them have two
children each (F lies below B, and H below C); c_I = c_J = c_K = 1/18 below F.
"""

from __future__ import annotations

import pytest

from truepath import Hierarchy, metrics

EDGES = [("A", "B"), ("A", "C"), ("A", "D"), ("B", "E"), ("B", "F"), ("C", "G"), ("C", "H")]
EDGES += [("F", "I"), ("F", "J"), ("F", "K")]
TOY = Hierarchy.from_edges(EDGES)

# (truth, prediction) that should be better, and one that should be worse
REQUIREMENTS = {
    "1": (("IJ", "K"), ("IJ", "C")),  # credit for what is partly right
    "2a": (("IJ", "F"), ("IJ", "B")),  # one level further down the right way is better
    "2b": (("IJ", "C"), ("IJ", "H")),  # one level further down the wrong way is worse
    "3": (("I", "K"), ("C", "D")),  # errors higher up weigh more
}
MEASURES = {
    "HMC-loss": ("hmc_loss", {"alpha": 1, "beta": 1}, "1 2a 2b 3"),
    "symmetric loss": ("symmetric_loss", {}, "1 2a 2b 3"),
    "hierarchical F1": ("hierarchical_f1", {}, "1 2a 2b 3"),
    "normalised H-loss": ("h_loss", {}, "1 2a 3"),
    "uniform H-loss": ("h_loss", {"costs": "uniform"}, ""),
}


def goodness(name, options, truth, prediction):
    return metrics.get_scorer(name, hierarchy=TOY, **options)(Echo(prediction), None, TOY.encode([list(truth)]))


class Echo:
    """An estimator that predicts what it was given."""

    def __init__(self, labels):
        self.labels = labels

    def predict(self, X):
        return TOY.encode([list(self.labels)])


def test_costs_are_those_of_the_paper():
    expected = {"A": 1, **dict.fromkeys("BCD", 1 / 3), **dict.fromkeys("EFGH", 1 / 6), **dict.fromkeys("IJK", 1 / 18)}
    assert dict(zip(TOY.names, TOY.costs)) == pytest.approx(expected)


@pytest.mark.parametrize("requirement", REQUIREMENTS)
@pytest.mark.parametrize("measure", MEASURES)
def test_requirements(measure, requirement):
    name, options, met = MEASURES[measure]
    better, worse = (goodness(name, options, *case) for case in REQUIREMENTS[requirement])
    assert (better > worse + 1e-12) == (requirement in met.split())


def test_without_its_root_hierarchical_f1_cannot_distinguish_two_misses():
    """Requirement 2b needs the root in the sets, as the paper has it: an implicit root leaves 0 against 0."""
    below = [name for name in TOY.names if name != "A"]
    truth = TOY.encode([["I", "J"]])
    assert [metrics.hierarchical_f1(truth, TOY.encode([[p]]), TOY, nodes=below) for p in ("C", "H")] == [0.0, 0.0]


def test_an_empty_prediction_under_one_top_class_has_uniform_h_loss_one():
    below = [name for name in TOY.names if name != "A"]
    empty = TOY.encode([["A"]])
    assert metrics.h_loss(TOY.encode([["I", "J"]]), empty, TOY, costs="uniform", nodes=below) == 1.0
