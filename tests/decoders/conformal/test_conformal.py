"""Conformal decoders: exactly what the definition gives on small hierarchies, and coverage on drawn data."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import binom

from oracles_conformal import (
    best_closed_set,
    closed_sets,
    conformal_sets,
    counted,
    highest_level,
    levels_of,
    loss_of_misses,
)
from strategies import hierarchies, score_matrices, trees
from truepath import HierarchicalClassifier, Hierarchy
from truepath.combiners import Isotonic
from truepath.decoders import ConformalRisk, ConformalSet, ConformalSubtree, SureLabels
from truepath.decoders.conformal.shapes import SHAPES, Shape, end_scores
from truepath.hierarchy import cap_down
from truepath.resampling import draw_some

FEW = settings(max_examples=25)
shares = st.sampled_from([0.1, 0.25, 0.4, 0.5, 0.7])
LOSSES = ("miss-rate", "miss-cost", "h-loss")


class Case(NamedTuple):
    """Held-out rows of a small tree or DAG with weights, and new rows; few distinct scores, some outside [0, 1]."""

    h: Hierarchy
    S: np.ndarray
    Y: np.ndarray
    weight: np.ndarray | None
    new: np.ndarray

    @classmethod
    def of(cls, seed, kind):
        rng = np.random.default_rng(seed)
        most, n_nodes, n_rows = {"tree": 1, "dag": 3}[kind], rng.integers(4, 8), rng.integers(3, 10)
        above = [rng.choice(v, min(v, rng.integers(0, most + 1)), replace=False) for v in range(n_nodes)]
        h = Hierarchy.from_edges(
            [(f"{u}", f"{v}") for v in range(n_nodes) for u in above[v]], nodes=map(str, range(n_nodes))
        )
        S = cap_down(rng.integers(-1, 6, (n_rows + 5, h.n_nodes)) / 4, h)
        Y = h.close(rng.random((n_rows, h.n_nodes)) < 0.3)
        weight = rng.choice([0, 0.5, 1, 2], n_rows) / (10 if seed % 4 == 3 else 1) if seed % 2 else None
        return cls(h, S[:n_rows], Y, weight if weight is not None and weight.any() else None, S[n_rows:])

    def sets_of(self, decoder, as_matrix):
        decoder.set_params(hierarchy=self.h).fit(as_matrix(self.S), as_matrix(self.Y), self.weight)
        found = decoder.predict(as_matrix(self.new))
        return found.toarray() if sparse.issparse(found) else found


KINDS, MATRICES = pytest.mark.parametrize("kind", ["tree", "dag"]), [np.asarray, sparse.csr_array]


@KINDS
@pytest.mark.parametrize("loss", ["any", *LOSSES])
def test_sets_are_those_of_the_highest_level_allowed(loss, kind):
    for seed in range(40):
        case, target = Case.of(seed, kind), [0.1, 0.25, 0.4, 0.5, 0.95][seed % 5]
        decoder = ConformalSet(1 - target) if loss == "any" else ConformalRisk(target, loss)
        found = case.sets_of(decoder, MATRICES[seed // 2 % 2])
        np.testing.assert_array_equal(
            found, conformal_sets(case.S, case.Y, case.new, case.h, loss, target, case.weight)
        )


@given(st.data())
@FEW
def test_what_stands_for_the_h_loss_on_dags_never_falls_and_is_never_less(data):
    h = data.draw(hierarchies(max_nodes=5))
    sets = closed_sets(h)
    for truth in sets:
        for chosen in sets:
            loss = loss_of_misses(truth, chosen, h, "h-loss")
            missed = np.flatnonzero(truth & ~chosen)
            assert 1 + 1e-9 > loss > sum(h.costs[v] for v in missed if chosen[h.parents(v)].all()) - 1e-9
            assert all(
                loss > loss_of_misses(truth, more, h, "h-loss") - 1e-9 for more in sets if (more >= chosen).all()
            )


@KINDS
@pytest.mark.parametrize("per", ["label", "level"])
def test_labels_and_levels_have_levels_of_their_own(per, kind):
    for seed in range(40):
        case, missed = Case.of(seed, kind), [0.25, 0.4, 0.5, 0.7, 0.95][seed % 5]
        groups = np.arange(case.h.n_nodes) if per == "label" else case.h.depth - 1
        wanted = np.zeros(case.new.shape, bool)
        for g in np.unique(groups):
            wanted[:, groups == g] = sets_of_group(case, groups == g, missed)
        decoder = ConformalSet(1 - missed, per=per)
        np.testing.assert_array_equal(case.sets_of(decoder, MATRICES[seed // 2 % 2]), case.h.close(wanted))
        assert len(decoder.steps_) == groups.max() + 1


def sets_of_group(case, own, missed):
    """Return which labels of a group are in the sets: rows without a label there count in the totals alone."""
    weight = np.ones(len(case.S)) if case.weight is None else case.weight
    S, Y, new = (M[:, own] for M in (case.S, case.Y, case.new))
    totals, rows = counted(S[weight > 0]).sum(axis=0), Y.any(axis=1)
    ranks, pairs = levels_of(S, totals)
    level = highest_level(ranks[rows], Y[rows], None, "any", missed, weight[rows]) if rows.any() else -np.inf
    if np.isinf(level):
        return np.full(new.shape, level < 0)
    return np.array([[pair >= pairs[level] for pair in zip(*both)] for both in zip(new, totals + counted(new))])


@given(st.data(), st.floats(0.01, 0.9))
@FEW
def test_subtrees_are_the_best_closed_sets_of_their_price(data, price):
    h = data.draw(trees(max_nodes=6))
    S = data.draw(score_matrices(h, n_rows=1, min_rows=1))
    f = end_scores(S, h)
    g = Isotonic(hierarchy=h).transform(f)[0]
    chosen = g >= price
    assert (f[0] - price)[chosen].sum() == pytest.approx(best_closed_set(f[0], price, h))
    assert any((chosen == y).all() for y in closed_sets(h))


@KINDS
@pytest.mark.parametrize("name", SHAPES)
def test_subtrees_have_the_highest_price_allowed(name, kind):
    for seed in range(20):
        case, missed = Case.of(seed, kind), [0.1, 0.25, 0.4, 0.5, 0.7][seed % 5]
        kept = case.S if case.weight is None else case.S[case.weight > 0]
        shape, values_of = Shape.of(name, kept, case.h), (end_scores if name.endswith("ends") else lambda S, h: S)
        worth, of_new = shape.nest(case.S, case.h, new=False), shape.nest(case.new, case.h, new=True)
        share = SHAPES[name][1] / (len(kept) + 1)
        usual = share * np.maximum(values_of(kept, case.h), 0).sum(axis=0)
        own = values_of(case.new, case.h)
        wanted = [values_of(case.S, case.h)[0] + usual, own[0] + usual + share * np.maximum(own[0], 0)]
        for g, w in zip([worth[0], of_new[0]], wanted):
            prices = np.unique(g)
            for price in (prices[:-1] + prices[1:]) / 2:  # between two prices at which the set changes
                assert (w - price)[g >= price].sum() == pytest.approx(best_closed_set(w, price, case.h))
        level = highest_level(worth, case.Y, case.h, "any", missed, case.weight)
        found = case.sets_of(ConformalSubtree(1 - missed, shape=name), MATRICES[seed // 2 % 2])
        np.testing.assert_array_equal(found, of_new >= level)


@pytest.mark.parametrize("weight", [None, np.arange(110) % 3])
def test_the_shape_is_that_with_the_smallest_sets(weight):
    """By the definition, on two fifths of the groups."""
    h, rng, groups = Hierarchy.from_paths(["a/1", "a/2", "b"]), np.random.default_rng(0), np.arange(110) // 4
    S, Y = cap_down(rng.integers(0, 9, (110, 4)) / 8, h), h.close(rng.random((110, 4)) < 0.3)
    decoder = ConformalSubtree(hierarchy=h).fit(S, Y, weight, groups=groups)
    chosen = draw_some(110, 44, 0, groups)
    counts = np.ones(110) if weight is None else weight
    for name in SHAPES:
        Z = Shape.of(name, S[chosen], h).nest(S[chosen], h, new=False)
        levels = [highest_level(Z, Y[chosen], h, "any", 1 - share, counts[chosen]) for share in (0.8, 0.9, 0.95)]
        sizes = [np.average((Z >= level).sum(axis=1), weights=counts[chosen]) for level in levels]
        assert decoder.sizes_[name] == pytest.approx(np.log1p(sizes).mean())
    assert decoder.shape_ == min(decoder.sizes_, key=decoder.sizes_.get)
    assert decoder.steps_.weight == np.delete(counts, chosen).sum()


def test_no_more_than_two_thousand_rows_choose_the_shape():
    S = np.linspace(0, 1, 5500)[:, None]
    assert ConformalSubtree().fit(S, S > 0.5).steps_.weight == 3500
    assert ConformalSubtree().fit(S[:100], S[:100] >= 0).steps_.weight == 60
    assert ConformalSubtree().fit(S[:99], S[:99] >= 0).steps_.weight == 99


def test_subtrees_worth_the_same_but_for_rounding_are_all_taken():
    h = Hierarchy.from_edges([("a", "a/1")])
    S = np.array([[0, 0], [0.25, 0.25], [0.375, 0.375], [0.5, 0.125], [0.5, 0.125], [0.875, 0.375]])
    Y = np.zeros((6, 2), bool)
    Y[4] = True  # worth .125, as both labels of the second row together
    found = ConformalSubtree(0.75, hierarchy=h, shape="ends").fit(S, Y).predict(S)
    assert found.tolist() == [[False] * 2, *[[True] * 2] * 5]


@KINDS
@pytest.mark.parametrize("single_path", [False, True])
def test_sure_labels_are_above_the_highest_false_ones(single_path, kind):
    for seed in range(40):
        case, wanted = Case.of(seed, kind), [0.9, 0.75, 0.6, 0.5, 0.3][seed % 5]
        held_out, new = (path_scores(S, case.h) if single_path else S for S in (case.S, case.new))
        weight = np.ones(len(case.S)) if case.weight is None else case.weight
        worst = np.array([s[~y].max(initial=-np.inf) for s, y in zip(held_out, case.Y)])
        enough = [level for level in worst if weight[worst <= level].sum() >= wanted * (weight.sum() + 1) - 1e-9]
        found = case.sets_of(SureLabels(wanted, single_path=single_path), MATRICES[seed // 2 % 2])
        np.testing.assert_array_equal(found, new > max(min(enough, default=np.inf), 0))
        assert case.h.is_closed(found)
        all_true = case._replace(Y=np.ones(case.S.shape, bool))  # whole paths: nothing was ever wrong
        assert case.h.is_closed(all_true.sets_of(SureLabels(wanted, single_path=single_path), np.asarray))


def path_scores(S, h):
    """Return the scores of the labels on the best path; ancestors off the path score as the first label below."""
    scored = np.zeros(S.shape)
    for i, s in enumerate(S):
        at, path = h.roots, []
        while at.size:
            path.append(int(at[s[at].argmax()]))
            at = h.children(path[-1])
        for last in path:
            above = np.append(h.ancestors(last), last)
            scored[i, above] = np.maximum(scored[i, above], s[last])
    return scored


def test_one_path_on_a_dag_has_all_ancestors_of_its_last_label():
    h = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    S = np.array([[0.9, 0.7, 0.6]] * 9 + [[0.9, 0.8, 0.1]])
    decoder = SureLabels(0.9, hierarchy=h, single_path=True).fit(S, [[1, 1, 1]] * 9 + [[1, 0, 0]])
    assert h.decode(decoder.predict(S[[0, 9]])) == [("c",), ("a",)]


# ------------------------------------------------------------------------------------- the guarantee


def tied_case(data, n_rows):
    """Rows with few distinct scores and few labels each: most labels are rare, and most scores are equal."""
    h = data.draw(hierarchies(max_nodes=6, min_nodes=2))
    S = data.draw(score_matrices(h, n_rows=n_rows, min_rows=n_rows, distinct=data.draw(st.sampled_from([1, 2, 8]))))
    last = data.draw(st.lists(st.integers(-1, h.n_nodes - 1), min_size=n_rows, max_size=n_rows))
    Y = np.array([np.arange(h.n_nodes) == v for v in last])
    if data.draw(st.booleans()):  # a perfect model
        S = h.close(Y).astype(float)
    return h, S, h.close(Y)


def each_as_new(decoder, S, Y):
    """Return each row's set where the others are held out."""
    n = len(S)
    return np.concatenate([decoder.fit(*(M[np.arange(n) != i] for M in (S, Y))).predict(S[[i]]) for i in range(n)])


PER = [ConformalSet(), ConformalSet(per="level"), ConformalSet(per="label")]
WHOLE = [PER[0], *(ConformalSubtree(shape=shape) for shape in ("auto", *SHAPES))]


def check_coverage(h, S, Y, missed):
    """Check exactly that enough rows are covered, where each is as likely to be the new one."""
    for decoder in WHOLE:
        found = each_as_new(decoder.set_params(hierarchy=h, coverage=1 - missed), S, Y)
        assert (Y & ~found).any(axis=1).mean() <= missed + 1e-9, decoder
    for decoder, groups in zip(PER[1:], (h.depth - 1, np.arange(h.n_nodes))):
        found = each_as_new(decoder.set_params(hierarchy=h, coverage=1 - missed), S, Y)
        for g in np.unique(groups):
            wrong = (Y & ~found)[:, groups == g].any(axis=1)[Y[:, groups == g].any(axis=1)]
            assert wrong.sum() <= missed * wrong.size + 1e-9, (decoder, g)
    for decoder in (SureLabels(), SureLabels(single_path=True)):
        found = each_as_new(decoder.set_params(hierarchy=h, coverage=1 - missed), S, Y)
        assert (found & ~Y).any(axis=1).mean() <= missed + 1e-9, decoder
        assert h.is_closed(found)


def check_risk(h, S, Y, risk):
    """Check exactly that the mean loss is small enough, where each row is as likely to be the new one."""
    for loss in LOSSES:
        found = each_as_new(ConformalRisk(risk, loss, hierarchy=h), S, Y)
        lost = [loss_of_misses(y, chosen, h, loss) for y, chosen in zip(Y, found)]
        assert np.mean(lost) <= risk + 1e-9, loss


@given(st.data(), shares)
@settings(max_examples=12)
def test_the_guarantees_hold_exactly_whatever_is_tied(data, missed):
    h, S, Y = tied_case(data, 5)
    check_coverage(h, S, Y, missed)
    check_risk(h, S, Y, missed)


@pytest.mark.slow
@given(st.data(), shares, st.integers(3, 9))
@settings(max_examples=300)
def test_the_guarantees_hold_exactly_in_many_cases(data, missed, n_rows):
    h, S, Y = tied_case(data, n_rows)
    check_coverage(h, S, Y, missed)
    check_risk(h, S, Y, missed)


@given(st.data(), shares, st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=3, max_size=3))
@settings(max_examples=10)
def test_weights_up_to_one_keep_the_guarantees(data, missed, weight):
    """On average over all orders of the rows, where the weights stay at their places."""
    assume(any(weight))
    h, S, Y = tied_case(data, 4)
    for decoder in (ConformalSet(), ConformalSubtree(), SureLabels()):
        decoder.set_params(hierarchy=h, coverage=1 - missed)
        wrong = []
        for order in permutations(range(4)):
            held_out, new = list(order[:3]), [order[3]]
            found = decoder.fit(S[held_out], Y[held_out], weight).predict(S[new])
            wrong.append((found & ~Y[new] if isinstance(decoder, SureLabels) else Y[new] & ~found).any())
        assert np.mean(wrong) <= missed + 1e-9, decoder


@pytest.mark.parametrize(("n_rows", "decoder"), [(20, ConformalSet()), (60, ConformalRisk()), (50, ConformalSubtree())])
def test_rare_labels_tied_at_the_level_are_covered(n_rows, decoder):
    """A model that is nearly perfect: most true labels score exactly 1, and few held-out rows have the same label."""
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(20):
        Y = np.eye(300, dtype=bool)[rng.integers(300, size=n_rows + 40)]
        S = np.where(Y & (rng.random((len(Y), 1)) < 0.98), 1.0, 0.5 * rng.random(Y.shape))
        found = decoder.fit(S[:n_rows], Y[:n_rows]).predict(S[n_rows:])
        covered.append((found | ~Y[n_rows:]).all(axis=1).mean())
    assert np.mean(covered) > 0.9 - 3 * np.std(covered) / 20**0.5


TREE = Hierarchy.from_paths([f"{a}/{b}/{c}" for a in "pqr" for b in "123" for c in "xyz"])


def one_path_rows(n_rows, rng):
    """Scores of a tree that are nearly its probabilities, and one true leaf per row."""
    logits = rng.normal(0, 2, (n_rows, TREE.leaves.size))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    leaf = (p.cumsum(axis=1) > rng.random((n_rows, 1))).argmax(axis=1)
    Y = np.zeros((n_rows, TREE.n_nodes), bool)
    Y[np.arange(n_rows), TREE.leaves[leaf]] = True
    S = p @ TREE.ancestor_matrix()[TREE.leaves].toarray()
    return S, TREE.close(Y)


SUBTREES = [ConformalSubtree(shape=shape) for shape in ("auto", "usual-ends", "labels")]
COVERING = [ConformalSet(), *SUBTREES, SureLabels(), SureLabels(single_path=True)]


@pytest.mark.parametrize("decoder", COVERING, ids=str)
@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_coverage_is_what_is_asked_for(decoder, coverage):
    rng = np.random.default_rng(0)
    n_splits, n_new = 60, 100
    hits = 0
    decoder = type(decoder)(**{**decoder.get_params(), "coverage": coverage, "hierarchy": TREE})
    for _ in range(n_splits):
        S, Y = one_path_rows(300, rng)
        found = decoder.fit(S[:-n_new], Y[:-n_new]).predict(S[-n_new:])
        wrong = found & ~Y[-n_new:] if isinstance(decoder, SureLabels) else Y[-n_new:] & ~found
        hits += int((~wrong.any(axis=1)).sum())
        assert TREE.is_closed(found)
    # held-out sets vary too: the number of hits is beta-binomial, about 1.5 times as spread as binomial here
    low, high = binom.interval(0.99, n_splits * n_new, coverage) / np.array(n_splits * n_new)
    assert coverage + 1.3 * (low - coverage) <= hits / (n_splits * n_new) <= coverage + 1.3 * (high - coverage) + 0.005


def test_the_shape_is_chosen_by_rows_that_do_not_set_the_price():
    S, Y = one_path_rows(500, np.random.default_rng(4))
    decoder = ConformalSubtree(hierarchy=TREE).fit(S, Y)
    assert decoder.shape_ == min(decoder.sizes_, key=decoder.sizes_.get)
    assert decoder.steps_.weight == 300
    assert not hasattr(decoder, "thresholds_")
    others = np.setdiff1d(np.arange(500), np.random.RandomState(0).permutation(500)[:200])
    Y[others] = Y[others][::-1]  # the labels there change nothing
    assert ConformalSubtree(hierarchy=TREE).fit(S, Y).sizes_ == decoder.sizes_
    few = ConformalSubtree(hierarchy=TREE).fit(S[:60], Y[:60])
    assert (few.shape_, few.sizes_, few.steps_.weight) == ("ends", {}, 60)


def test_subtrees_are_smaller_than_closed_leaves():
    rng = np.random.default_rng(1)
    S, Y = one_path_rows(1500, rng)
    flat = ConformalSet(0.9).fit(S[:1000, TREE.leaves], Y[:1000, TREE.leaves]).predict(S[1000:, TREE.leaves])
    of_leaves = np.zeros((500, TREE.n_nodes), bool)
    of_leaves[:, TREE.leaves] = flat
    ours = ConformalSubtree(0.9, hierarchy=TREE, shape="ends").fit(S[:1000], Y[:1000]).predict(S[1000:])
    assert ours.sum() < TREE.close(of_leaves).sum()


def test_the_target_may_change_after_fitting():
    S, Y = one_path_rows(400, np.random.default_rng(2))
    decoder = ConformalSet(0.5, hierarchy=TREE).fit(S, Y)
    small = decoder.predict(S)
    larger = decoder.set_params(coverage=0.95).predict(S)
    assert (larger >= small).all()
    assert larger.sum() > small.sum()
    np.testing.assert_array_equal(larger, ConformalSet(0.95, hierarchy=TREE).fit(S, Y).predict(S))
    assert (S > decoder.thresholds_).tolist() == larger.tolist()


def test_scores_of_nothing_do_not_let_everything_in():
    """A third of the rows have a true label that scores 0: the sets that hold them grow by the likelier labels."""
    h = Hierarchy.flat(50)
    rng = np.random.default_rng(5)
    label = np.minimum(rng.geometric(0.15, 900), 50) - 1
    Y = np.eye(50, dtype=bool)[label]
    S = np.where(Y & (rng.random(900) < 0.67)[:, None], 0.9, 0.0)
    decoder = ConformalSet(0.9, hierarchy=h).fit(S[:600], Y[:600])
    found = decoder.predict(S[600:])
    assert found.sum(axis=1).mean() < 15
    assert (found | ~Y[600:]).all(axis=1).mean() == pytest.approx(0.9, abs=0.05)
    np.testing.assert_array_equal(decoder.predict(sparse.csr_array(S[600:])).toarray(), found)


@pytest.mark.parametrize(
    ("decoder", "said"),
    [
        (ConformalSet(1.0), "coverage must be"),
        (ConformalSet(per="rows"), "per must be"),
        (ConformalRisk(0), "risk must be"),
        (ConformalRisk(loss="f1"), "loss must be"),
        (SureLabels(90), "coverage must be"),
        (ConformalSubtree(shape="leaves"), "shape must be"),
        (ConformalSubtree(0.0), "coverage must be"),
        (ConformalSet(True), "coverage must be"),
        (ConformalSet("0.9"), "coverage must be"),
    ],
)
def test_what_is_refused(decoder, said):
    with pytest.raises(ValueError, match=said):
        decoder.fit([[0.5]], [[1]])


def test_a_classifier_takes_them_by_name(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3))
    labels = [["a/1"] if x[0] > 0 else ["a/2"] if x[1] > 0 else ["b"] for x in X + rng.normal(0, 0.3, X.shape)]
    model = HierarchicalClassifier("pct", decoder="conformal", cv=3).fit(X, labels)
    model.save(tmp_path / "m.tp")
    again = HierarchicalClassifier.load(tmp_path / "m.tp")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert [steps.weight for steps in again.decoder_.steps_] == [150]
    assert "ConformalSet" in str(model.explain(X[0]))
