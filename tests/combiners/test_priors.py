"""Other shares of labels: against enumeration, and what holds for any shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from oracles_allowed import closed_sets, paths, probabilities_of_sets, random_hierarchy
from strategies import hierarchies, score_matrices
from truepath import Hierarchy
from truepath.combiners import LabelShares, shift_scores
from truepath.errors import ConstraintError, TruePathError, UnknownLabelError

H = Hierarchy.from_paths(["a/1", "a/2", "b"])  # a, a/1, a/2, b
TRAINED = np.array([0.5, 0.25, 0.2, 0.4])


def test_any_number_of_paths_as_by_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(40):
        h = random_hierarchy(rng, int(rng.integers(1, 9)), 1)
        Y, (x, before, after) = closed_sets(h), rng.uniform(0.05, 0.95, (3, h.n_nodes))
        of_x, of_before, of_after = (probabilities_of_sets(Y, c, h) for c in (x, before, after))
        weighed = of_x * of_after / of_before
        found = shift_scores((of_x @ Y)[None], h, of_before @ Y, of_after @ Y)[0]
        np.testing.assert_allclose(found, weighed @ Y / weighed.sum(), atol=1e-9)


@pytest.mark.parametrize("most_parents", [1, 3])
def test_one_path_as_by_enumeration(most_parents):
    rng = np.random.default_rng(most_parents)
    for _ in range(40):
        h = random_hierarchy(rng, int(rng.integers(1, 9)), most_parents)
        Y = paths(h)
        of_x, of_before, of_after = rng.dirichlet(np.ones(len(Y)), 3) * 0.9 + 0.1 / len(Y)
        weighed = of_x * of_after / of_before
        found = shift_scores((of_x @ Y)[None], h, of_before @ Y, of_after @ Y, paths="one")[0]
        np.testing.assert_allclose(found, weighed @ Y / weighed.sum(), atol=1e-9)


def test_without_labels_below_the_odds_are_multiplied():
    s, before, after = 0.3, 0.4, 0.7
    odds = s / (1 - s) * (after / (1 - after)) / (before / (1 - before))
    found = shift_scores([[s]], Hierarchy.flat(1), [before], [after])[0, 0]
    assert found == pytest.approx(odds / (1 + odds))


@given(st.data())
def test_what_holds_for_any_scores_and_shares(data):
    h = data.draw(hierarchies(max_nodes=7))
    S = data.draw(score_matrices(h))
    before, after = data.draw(score_matrices(h, n_rows=1))[0], data.draw(score_matrices(h, n_rows=1))[0]
    for way in ("many", "one"):
        found = shift_scores(S, h, before, after, paths=way)
        assert h.is_coherent(found)
        assert np.isfinite(found).all()
        assert found.min(initial=0) >= 0
        assert found.max(initial=0) <= 1
        np.testing.assert_array_equal(shift_scores(sparse.csr_array(S), h, before, after, paths=way).toarray(), found)
        np.testing.assert_allclose(shift_scores(S, h, before, before, paths=way), S, atol=1e-12)
        keys = np.arange(len(S)) % 2
        mixed = shift_scores(S, h, before, LabelShares({0: after, 1: before}, by=keys), paths=way)
        np.testing.assert_array_equal(mixed[keys == 0], found[keys == 0])


def test_labels_that_are_not_named_keep_their_share_among_the_rows_with_their_parents():
    found = LabelShares({"a": 0.25}).resolve(H, TRAINED)[0][0]
    np.testing.assert_allclose(found, [0.25, 0.125, 0.1, 0.4])


@pytest.mark.parametrize(
    ("priors", "error", "said"),
    [
        ({"a/3": 0.1}, UnknownLabelError, "'a/3'.*Did you mean"),
        ({"a/1": 1.5}, ValueError, "the share of 'a/1'.*1.5"),
        ({"a/1": 0.6}, ConstraintError, r"the share of 'a/1' \(0.6\) is greater than that of its parent 'a' \(0.5\)"),
        ([0.5, 0.2], ValueError, "one number for each of the 4 labels"),
        (["a"], ValueError, "one number for each of the 4 labels"),
        ([0.5, 0.2, 0.1, np.nan], ValueError, "shares from 0 to 1; got nan for 'b'"),
        (LabelShares({"x": TRAINED}, by=["y"]), TruePathError, "priors has no shares for 'y'"),
        (LabelShares({"x": TRAINED}, by=["x", "x"]), ValueError, "keys for 2 rows, but there are 1"),
    ],
)
def test_what_cannot_be_shares_is_refused(priors, error, said):
    with pytest.raises(error, match=said):
        shift_scores([[0.5, 0.2, 0.2, 0.5]], H, TRAINED, priors)
