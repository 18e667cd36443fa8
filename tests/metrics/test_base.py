"""What a metric's record is made of: the decorator's words, the function's own, and the docstring that it completes."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import Hierarchy, metrics
from truepath.registry import Registry

HIERARCHY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


@pytest.fixture(name="entered")
def _entered(monkeypatch):
    """Enter a function into a registry of its own and return its record."""
    monkeypatch.setattr("truepath.metrics.base.METRICS", Registry("metric", "truepath.metrics"))
    return lambda function, **options: metrics.get_metric(metrics.register(**options)(function).__name__)


def functions():
    """Return four functions, new ones: their docstrings will be changed."""

    def described(y_true, y_pred, hierarchy=None, *, depth=1, nodes=None):
        """Return how deep it goes.

        More of it.

        Parameters
        ----------
        depth : int
            How far.

        Returns
        -------
        found : float
        """

    def silent(y_true, y_pred): ...

    def one_line(y_true, other):
        """Return a share."""

    def in_sections(y_score, depth):
        """Return a share.

        Notes
        -----
        A note.
        """

    return described, silent, one_line, in_sections


def test_what_the_decorator_leaves_out_is_the_functions_own(entered):
    described, silent, one_line, _ = functions()
    own = entered(described, needs="labels")
    assert (own.label, own.meaning, own.needs, own.digits) == ("described", "Return how deep it goes", "labels", 3)
    assert (own.bounds, own.best, own.number, own.row_terms) == ((0.0, 1.0), 1.0, None, None)
    told = entered(one_line, needs="scores", label="L", meaning="M", digits=1, greater_is_better=False)
    assert (told.label, told.meaning, told.needs, told.digits, told.best) == ("L", "M", "scores", 1, 0.0)
    assert entered(silent, needs="labels").meaning == ""
    assert silent.__doc__ is None
    assert metrics.list_metrics() == ["described", "one_line", "silent"]
    assert metrics.list_metrics("scores") == ["one_line"]


MATRIX = "array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)"
DESCRIBED = f"""Return how deep it goes.

More of it.

Parameters
----------
y_true : {MATRIX}
y_pred : {MATRIX}
hierarchy : Hierarchy, optional
    None takes the labels as flat.
depth : int
    How far.
nodes : sequence of names or numbers, optional
    The classes counted, all by default.

Returns
-------
found : float"""


def test_docstrings_are_completed_in_the_order_of_the_signature(entered):
    described, _, one_line, in_sections = functions()
    entered(described, needs="labels", needs_hierarchy=True)
    assert described.__doc__ == DESCRIBED
    entered(one_line, needs="labels")
    assert one_line.__doc__ == f"Return a share.\n\nParameters\n----------\ny_true : {MATRIX}"
    entered(in_sections, needs="scores", like=described)
    scores = MATRIX.replace("0 and 1", "float")
    parameters = f"Parameters\n----------\ny_score : {scores}\ndepth : int\n    How far."
    assert in_sections.__doc__ == f"Return a share.\n\n{parameters}\n\nNotes\n-----\nA note."


def test_evaluate_takes_names_pairs_and_one_name():
    Y, P = HIERARCHY.encode([["a/1"], ["b"]], sparse_output=False), HIERARCHY.encode([["a/2"], ["b"]])
    wanted = {"mine": ("hierarchical_f1", {"average": "samples"}), "other": ["h_loss", {"costs": "uniform"}]}
    found = metrics.evaluate(Y, P, hierarchy=HIERARCHY, metrics=wanted | {"plain": "micro_f1"})
    assert found == {
        "mine": metrics.hierarchical_f1(Y, P, HIERARCHY, average="samples"),
        "other": metrics.h_loss(Y, P, HIERARCHY, costs="uniform"),
        "plain": metrics.micro_f1(Y, P),
    }
    assert metrics.evaluate(Y, P, metrics=["micro_f1", "exact_match"]).keys() == {"micro_f1", "exact_match"}
    weighted = metrics.evaluate(Y, P, metrics="exact_match", sample_weight=[1, 3])
    assert weighted == {"exact_match": 0.75}
    every = metrics.evaluate(Y, P, np.asarray(P, float), HIERARCHY)
    assert set(every) == {name for name in metrics.list_metrics() if metrics.get_metric(name).number is None}
    with pytest.raises(ValueError, match="needs labels; pass y_pred"):
        metrics.evaluate(Y, y_score=P, metrics=["exact_match"])
