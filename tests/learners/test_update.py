"""Learners under a changed hierarchy: what other rows train is learned, and nothing else moves by a bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from learners_room import as_plain_hierarchy
from strategies import hierarchies, label_matrices
from truepath import Hierarchy
from truepath.adapters.capabilities import update_learner
from truepath.combiners import FAEL, Blend, FAELBlend
from truepath.errors import CapabilityError
from truepath.learners import (
    POLICIES,
    BinaryRelevance,
    CoherentNetwork,
    GlobalNaiveBayes,
    MultiLabelKernelRidge,
    PCTForest,
    PCTree,
    PerNode,
    SparseLinear,
    Stack,
    TableBlend,
)
from truepath.learners.linear.label_graph import LabelGraph
from truepath.persistence import load, save

H = Hierarchy.from_edges([("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")])
CONVERGED = {"loss": "log", "tol": 1e-10, "max_iter": 5000, "min_weight": 0.0, "C": 1.0}

EDITS = {
    "add": lambda editor: editor.add("a3", "a"),
    "remove": lambda editor: editor.remove("b2"),
    "remove inner": lambda editor: editor.remove("b"),
    "rename": lambda editor: editor.rename("b", "c"),
    "move": lambda editor: editor.move("a1", "b"),
    "merge": lambda editor: editor.merge(["a", "b"], "ab"),
    "merge leaves": lambda editor: editor.merge(["a2", "b1"], "a2"),
    "split": lambda editor: editor.split("a2", ["ax", "ay"]),
    "several": lambda editor: editor.add("b3", "b").move("a2", "b").remove("b1").rename("a", "z"),
}


def rows(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    names = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a1", "a2"), np.where(X[:, 2] > 0, "b1", "b2"))
    return X, [[name] for name in names]


def changed(edit, n_rows=200):
    """Return a change, rows, and their labels before and after; every new label has rows of its own."""
    X, labels = rows(n_rows)
    diff = EDITS[edit](H.edit()).diff()
    before = H.encode(labels)
    Y = diff.transfer(before)
    for name in diff.added + tuple(part for parts in diff.split.values() for part in parts):
        v = diff.new.index(name)
        above = Y[:, diff.new.parents(v)].all(axis=1)
        Y[:, v] = above & (X[:, 3] > 0) if not name.endswith("y") else above & (X[:, 3] <= 0)
    return diff, X, before, diff.new.close(Y)


# -------------------------------------------------------------------------- which labels are learned


@st.composite
def edits(draw, hierarchy):
    """Some changes of a hierarchy, one after the other."""
    editor = hierarchy.edit()
    for k in range(draw(st.integers(1, 3))):
        names = editor.done().names.tolist()
        some = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
        kind = draw(st.sampled_from(["add", "remove", "move", "merge", "split", "rename"]))
        parents = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
        if kind == "add":
            editor.add(f"new{k}", parents)
        elif kind == "remove" and len(names) > 1:
            editor.remove(some[0])
        elif kind == "move":
            now = editor.done()
            editor.move(some[0], [u for u in parents if u != some[0] and u not in now.names[now.descendants(some[0])]])
        elif kind == "merge" and len(some) == 2:
            now = editor.done()
            related = set(now.names[now.descendants(some[0])]) | set(now.names[now.ancestors(some[0])])
            if some[1] not in related:
                editor.merge(some, f"both{k}")
        elif kind == "split":
            editor.split(some[0], [f"x{k}", f"y{k}"])
        elif kind == "rename":
            editor.rename(some[0], f"other{k}")
    return editor.diff()


@given(hierarchies(max_nodes=6), st.data())
@settings(max_examples=15, deadline=None)
def test_update_is_a_fit_of_all_rows_whatever_the_change_and_whatever_rows_come(hierarchy, data):
    before = data.draw(label_matrices(hierarchy, n_rows=10, min_rows=10))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    diff, X = data.draw(edits(hierarchy)), rng.normal(size=(14, 3))
    Y = np.zeros((14, diff.new.n_nodes), bool)
    Y[:10] = diff.transfer(before)
    if data.draw(st.booleans()):  # labels given by hand, old rows among them
        Y |= rng.random(Y.shape) < 0.1
    n_rows = data.draw(st.sampled_from([10, 14]))
    order = rng.permutation(n_rows)
    X, Y, known = X[order], diff.new.close(Y)[order], (X[:10], before)
    change = diff if data.draw(st.booleans()) else diff.old.diff(diff.new)
    for learner in (
        SparseLinear(train_on="parents", **CONVERGED),
        SparseLinear(train_on="all", **CONVERGED),
        *(PerNode(GaussianNB(), policy=policy) for policy in POLICIES),
    ):
        fitted = clone(learner).set_params(hierarchy=hierarchy).fit(*known)
        new = fitted.update(change, X, Y)
        whole = clone(learner).set_params(hierarchy=diff.new).fit(X, Y)
        np.testing.assert_allclose(new.predict_proba(X), whole.predict_proba(X), atol=1e-5)


def test_rows_that_train_a_label_are_told_apart():
    X, labels = rows(30)
    Y = H.encode(labels)
    learners = (SparseLinear(train_on="parents"), SparseLinear(train_on="all"), PerNode(GaussianNB(), policy="parents"))
    for learner, tops in zip(learners, ({"a", "b"}, {"a", "b", "a1", "a2", "b1", "b2"}, {"a", "b"})):
        fitted = clone(learner).set_params(hierarchy=H).fit(X, Y)
        order = np.random.default_rng(0).permutation(30)
        same = fitted.update(H.diff(H), X[order], Y[order])
        assert same.relearned_.size == 0
        more = fitted.update(H.diff(H), np.vstack([X, X[:1]]), np.vstack([Y, H.encode([["b1"]])]))
        assert set(H.names[more.relearned_]) == tops | {"b1", "b2"}
        weighted = clone(learner).set_params(hierarchy=H).fit(X, Y, sample_weight=np.r_[2.0, np.ones(29)])
        assert {str(name) for name in labels[0]} <= set(H.names[weighted.update(H.diff(H), X, Y).relearned_])
    texts = [str(name) for (name,) in labels]
    by_words = BinaryRelevance(make_pipeline(CountVectorizer(), GaussianNBOfSparse()), hierarchy=H).fit(texts, Y)
    assert by_words.update(H.diff(H), texts[::-1], Y[::-1]).relearned_.size == 0
    linear = SparseLinear(hierarchy=H).fit(X[:20], Y[:20]).partial_fit(X[20:], Y[20:])
    assert linear.update(H.diff(H), X, Y).relearned_.size == 0


class GaussianNBOfSparse(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X.toarray(), y)

    def predict_proba(self, X):
        return super().predict_proba(X.toarray())


@pytest.mark.parametrize("learner", [SparseLinear(train_on="parents"), SparseLinear(train_on="all"), PCTForest()])
def test_a_label_that_moved_is_found_though_its_name_is_all_that_is_known(learner):
    """A move renames paths, so that two hierarchies alone tell of a label that went and of one that came."""
    h = Hierarchy.from_paths(["animal/cat", "plant/oak", "plant/coral"])
    X = np.repeat(np.eye(3), 8, axis=0)
    editor = h.edit().move("plant/coral", "animal")
    fitted = (
        clone(learner)
        .set_params(hierarchy=h)
        .fit(X, [["animal/cat"]] * 8 + [["plant/oak"]] * 8 + [["plant/coral"]] * 8)
    )
    labels = [["animal/cat"]] * 8 + [["plant/oak"]] * 8 + [["animal/coral"]] * 8
    for change in (editor.diff(), h.diff(editor.done())):
        new = fitted.update(change, X, labels)
        assert change.new.decode(new.predict(X)) == [tuple(row) for row in labels]


def test_what_came_above_a_moved_label_is_learned_and_so_are_children_of_merged_ones():
    h = Hierarchy.from_paths(["life/animal/cat", "life/plant/coral", "life/rest", "stone"], sep="/")
    diff = h.edit().move("life/plant/coral", "life/animal").diff()
    touched = {"life/animal", "life/animal/cat", "life/plant", "life/animal/coral"}
    assert set(diff.new.names[diff.touched]) == touched
    diff = H.edit().merge(["a", "b"], "ab").diff()
    assert set(diff.touched) == set(range(5))
    diff = h.edit().add("life/animal/dog", "life/animal").diff()  # its rows may be new to all above it
    assert "stone" not in diff.new.names[diff.touched]
    assert {"life", "life/animal", "life/animal/dog"} <= set(diff.new.names[diff.touched])


def test_estimators_go_with_their_labels():
    diff, X, before, Y = changed("several")
    own = {"a": LogisticRegression(C=0.5), "b1": LogisticRegression(C=2)}
    fitted = PerNode(LogisticRegression(), hierarchy=H, estimators=own).fit(X, before)
    assert {name: one.C for name, one in fitted.update(diff, X, Y).estimators.items()} == {"z": 0.5}


def test_a_label_merged_with_a_part_of_another_one_is_learned():
    diff = H.edit().split("a2", ["ax", "ay"]).merge(["b1", "ax"], "both").diff()
    assert (diff.merged, diff.split, diff.renamed) == ({"both": ("b1",)}, {"a2": ("ay", "both")}, {})
    assert {"both", "ay"} <= set(diff.new.names[diff.touched])
    assert diff.new.decode(diff.transfer(H.encode([["b1"], ["a2"]]))) == [("both",), ("a",)]


# ------------------------------------------------------------------------------- one model per label


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(
    "learner",
    [
        SparseLinear(train_on="parents", **CONVERGED),
        SparseLinear(train_on="all", **CONVERGED),
        *(PerNode(LogisticRegression(), policy=policy) for policy in POLICIES),
        BinaryRelevance(LogisticRegression()),
    ],
    ids=str,
)
def test_an_updated_learner_is_the_one_fitted_again(learner, edit):
    diff, X, before, Y = changed(edit)
    fitted = type(learner)(**{**learner.get_params(deep=False), "hierarchy": H}).fit(X, before)
    S = fitted.predict_proba(X)
    new = fitted.update(diff, X, Y)
    whole = type(learner)(**{**learner.get_params(deep=False), "hierarchy": diff.new}).fit(X, Y)
    np.testing.assert_allclose(new.predict_proba(X), whole.predict_proba(X), atol=1e-5)
    np.testing.assert_array_equal(fitted.predict_proba(X), S)  # the learner given stays as it is


def test_no_other_label_moves_by_a_bit():
    diff, X, before, Y = changed("add")
    for learner in (SparseLinear(hierarchy=H), BinaryRelevance(LogisticRegression(), hierarchy=H)):
        learner.fit(X, before)
        kept = np.flatnonzero(diff.origin >= 0)
        S = learner.update(diff, X, Y).predict_proba(X)
        np.testing.assert_array_equal(S[:, kept], learner.predict_proba(X)[:, diff.origin[kept]])


WIDE_EDITS = [
    lambda e: e.add("t9", ()).add("c11", "t1"),
    lambda e: e.remove("c5").remove("t3"),
    lambda e: e.remove("t1"),
    lambda e: e.merge(["t1", "t2"], "t12").rename("c4", "k4"),
    lambda e: e.merge(["c1", "c2"], "c12").split("c0", ["c0x", "c0y"]),
    lambda e: e.move("c3", "t4").move("c6", "t2").move("t5", "t1"),
    lambda e: e.remove("c0").remove("c1").remove("c2").remove("c4").remove("c5").remove("c6").remove("c7"),
]


@pytest.mark.parametrize("edit", WIDE_EDITS)
@pytest.mark.parametrize("max_children", [2, 4])
def test_groups_of_labels_are_carried_over(edit, max_children):
    h = Hierarchy.from_edges(
        [(None, f"t{i}") for i in range(7)] + [("t1", f"c{i}") for i in range(9)] + [("t2", "c3"), ("c3", "d")]
    )
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6))
    Y = h.close(rng.random((90, h.n_nodes)) < 0.15)
    learner = SparseLinear(hierarchy=h, max_children=max_children, train_on="parents", **CONVERGED).fit(X, Y)
    diff = edit(h.edit()).diff()
    after = diff.transfer(Y)
    for v in np.flatnonzero(diff.origin < 0):  # labels above gain no rows that the change does not tell of
        after[:, v] |= (rng.random(90) < 0.4) & after[:, diff.new.parents(v)].all(axis=1)
    new = learner.update(diff, X, after)
    LabelGraph(*new._graph).check(diff.new.n_nodes)
    seen, place = as_plain_hierarchy(new)
    Z = np.zeros((len(X), seen.n_nodes), bool)
    Z[:, place] = after
    plain = SparseLinear(hierarchy=seen, max_children=None, train_on="parents", **CONVERGED).fit(X, seen.close(Z))
    S = new.predict_proba(X)
    assert diff.new.is_coherent(S)
    np.testing.assert_allclose(S, plain.predict_proba(X)[:, place], atol=1e-5)


# ------------------------------------------------------------------------------------ all at once


FORESTS = [PCTree, lambda **o: PCTForest(n_estimators=5, random_state=0, **o)]


@pytest.mark.parametrize("edit", ["remove", "remove inner", "rename", "move", "merge", "merge leaves"])
@pytest.mark.parametrize("make", FORESTS)
def test_leaves_are_counted_again(make, edit):
    diff, X, before, Y = changed(edit)
    learner = make(hierarchy=H).fit(X, before)
    new = learner.update(diff, X, Y)
    S, wanted = new.predict_proba(X), np.zeros((len(X), diff.new.n_nodes))
    trees = learner.trees_ if hasattr(learner, "trees_") else [learner.tree_]
    for tree in trees:
        one = PCTree(hierarchy=H).fit(X, before)
        one.tree_ = tree
        leaf = one.apply(X)
        wanted += np.array([Y[leaf == own].mean(axis=0) for own in leaf]) / len(trees)
    np.testing.assert_allclose(S, wanted, atol=1e-6)
    assert diff.new.is_coherent(S)


@pytest.mark.parametrize("edit", ["add", "split", "several", "merge"])
@pytest.mark.parametrize("make", FORESTS)
def test_trees_are_grown_anew_where_something_is_new(make, edit):
    diff, X, before, Y = changed(edit)
    if edit == "merge":  # the rows are new then
        X, Y = np.vstack([X, X[:9] + 5]), np.vstack([Y, Y[:9]])
    new = make(hierarchy=H).fit(X[:200], before).update(diff, X, Y)
    whole = make(hierarchy=diff.new).fit(X, Y)
    np.testing.assert_array_equal(new.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(
    "options", [{}, {"kernel": "laplacian", "normalize": "quantile"}, {"max_rows": 50, "n_landmarks": 40}]
)
def test_a_kernel_is_solved_again(options, edit):
    diff, X, before, Y = changed(edit, n_rows=80)
    X[::7, 1] = np.nan
    learner = MultiLabelKernelRidge(hierarchy=H, **options).fit(X, before)
    found = {"gamma": learner.regression_.gamma_, "alpha": learner.regression_.alpha_}
    whole = MultiLabelKernelRidge(hierarchy=diff.new, **options, **found).fit(X, Y)
    new = learner.update(diff, X, Y)
    np.testing.assert_allclose(new.predict_proba(X), whole.predict_proba(X), atol=1e-10)
    assert new.regression_.by_landmarks_ == whole.regression_.by_landmarks_
    far, Z = np.vstack([X, X[:40] + 9]), np.vstack([Y, Y[:40]])  # rows unlike the old are learned too
    whole = MultiLabelKernelRidge(hierarchy=diff.new, **options, **found).fit(far, Z)
    np.testing.assert_allclose(learner.update(diff, far, Z).predict_proba(far), whole.predict_proba(far), atol=1e-10)


def test_a_network_gets_new_outputs():
    pytest.importorskip("torch")
    diff, X, before, Y = changed("several")
    options = {"n_estimators": 2, "n_epochs": 150, "dropout": 0.1, "project": None}
    learner = CoherentNetwork((16,), hierarchy=H, **options).fit(X, before)
    new = learner.update(diff, X, Y)
    np.testing.assert_array_equal(new.weights_[0], learner.weights_[0])
    kept = np.flatnonzero(~diff.relabeled)
    assert kept.size
    np.testing.assert_array_equal(new.predict_proba(X)[:, kept], learner.predict_proba(X)[:, diff.origin[kept]])
    S, v = new.predict_proba(X), diff.new.index("b3")
    assert S[Y[:, v], v].mean() > S[~Y[:, v], v].mean() + 0.1


# -------------------------------------------------------------------------------------- wrappers


def test_a_stack_updates_its_learners_and_keeps_its_weights():
    diff, X, before, Y = changed("several")
    learners = [make_pipeline(StandardScaler(), SparseLinear()), MultiLabelKernelRidge(), PCTForest(random_state=0)]
    stack = Stack(learners, combiner=Blend(), hierarchy=H).fit(X, before)
    new = stack.update(diff, X, Y)
    parts = [update_learner(learner, diff, X, Y).predict_proba(X) for learner in stack.learners_]
    combined = sum(w * part for w, part in zip(stack.combiner_.weights_[0], parts))
    found = new.predict_proba(X)
    assert diff.new.is_coherent(found)
    raw = Blend(hierarchy=diff.new, project=None)
    raw.weights_, raw.groups_, raw.hierarchy_ = new.combiner_.weights_, new.combiner_.groups_, diff.new
    np.testing.assert_allclose(raw.transform(parts), combined, atol=1e-12)
    np.testing.assert_array_equal(new.combiner_.transform(parts), found)
    assert new.learners_[0][0] is stack.learners_[0][0]
    assert "update" in new.approximates


@pytest.mark.parametrize("edit", ["remove", "remove inner", "rename", "move", "merge", "merge leaves"])
def test_a_blend_for_tables_with_fael(edit, tmp_path):
    diff, X, before, Y = changed(edit)
    members = ["kernel ridge, rbf", "kernel ridge, laplacian"]
    blend = TableBlend(members=members, hierarchy=H).fit(X, before)
    combiner = blend.stack_.combiner_
    assert combiner.weights_[:, 2:].any()  # FAEL is heard
    new = blend.update(diff, X, Y)
    S = new.predict_proba(X)
    assert diff.new.is_coherent(S)
    area = [np.mean(S[:, v][Y[:, v]]) - np.mean(S[:, v][~Y[:, v]]) for v in range(Y.shape[1]) if 0 < Y[:, v].mean() < 1]
    assert min(area) > 0.2
    parts = [learner.predict_proba(X) for learner in new.stack_.learners_]
    np.testing.assert_allclose(S, carried_by_hand(combiner, diff, parts), atol=1e-9)
    if edit == "rename":
        np.testing.assert_allclose(S, blend.predict_proba(X), atol=1e-12)
    save(new, tmp_path / "blend.tp")
    np.testing.assert_array_equal(load(tmp_path / "blend.tp").predict_proba(X), S)
    back = diff.new.edit().rename(str(diff.new.names[0]), "first").diff()
    once_more = new.update(back, X, Y).predict_proba(X)
    place = back.new.indices(["first" if v == 0 else str(name) for v, name in enumerate(diff.new.names)])
    np.testing.assert_allclose(once_more[:, place], S, atol=1e-9)


@pytest.mark.parametrize("edit", ["add", "split", "rename"])
def test_a_blend_is_fitted_anew_where_something_is_new(edit):
    diff, X, before, Y = changed(edit)
    if edit == "rename":  # the rows are new then
        X, Y = np.vstack([X, X[:9] + 5]), np.vstack([Y, Y[:9]])
    options = {"members": ["forest", "kernel ridge, rbf"]}
    new = TableBlend(hierarchy=H, **options).fit(X[:200], before).update(diff, X, Y)
    whole = TableBlend(hierarchy=diff.new, **options).fit(X, Y)
    np.testing.assert_array_equal(new.predict_proba(X), whole.predict_proba(X))


def carried_by_hand(combiner, diff, parts):
    """Return what a combiner of the old labels gives where FAEL reads and scores the old labels that are left."""
    h, old = diff.new, diff.old
    B = sum(w * part for w, part in zip(combiner.blend_.weights_[0], parts))
    B = np.asarray(raise_up_plainly(B, h))
    read = np.zeros((len(B), old.n_nodes))
    for u, name in enumerate(old.names):
        if name in diff.split:
            read[:, u] = B[:, h.indices(diff.split[name])].sum(axis=1)
        elif diff.became[u] >= 0:
            several = diff.merged.get(str(h.names[diff.became[u]]), (name,))
            read[:, u] = B[:, diff.became[u]] / len(several)
    total = sum(w * part for w, part in zip(combiner.weights_[0], parts))
    for weight, voice in zip(combiner.weights_[0][len(parts) :], (combiner.linear_, combiner.kernel_)):
        if weight == 0:  # and so not kept
            continue
        raw, scores = np.clip(voice.predict(read), 0, 1), B.copy()
        for v in np.flatnonzero(~diff.relabeled):
            scores[:, v] = raw[:, diff.origin[v]]
        total = total + weight * raise_up_plainly(scores, h)
    return raise_up_plainly(total, h)


def raise_up_plainly(S, h):
    S = S.copy()
    for v in reversed(range(h.n_nodes)):
        for u in h.parents(v):
            S[:, u] = np.maximum(S[:, u], S[:, v])
    return S


def test_sparse_rows_are_blended_still():
    rng = np.random.default_rng(0)
    X = sparse.random_array((120, 60), density=0.08, rng=rng, format="csr")
    y = H.close((X[:, :6] != 0).toarray())
    blend = TableBlend(hierarchy=H).fit(X, y)
    diff = H.edit().rename("a2", "a3").diff()
    kept = diff.new.indices(np.where(H.names == "a2", "a3", H.names))
    new = blend.update(diff, X, diff.transfer(y))
    np.testing.assert_allclose(new.predict_proba(X)[:, kept], blend.predict_proba(X), atol=1e-6)


def test_what_is_refused():
    X, labels = rows(40)
    Y = H.encode(labels)
    other = Hierarchy.flat(["p"]).edit().add("q").diff()
    learner = SparseLinear(hierarchy=H).fit(X, Y)
    with pytest.raises(ValueError, match="does not start from"):
        learner.update(other, X, labels)
    diff = H.edit().add("d").diff()
    with pytest.raises(CapabilityError, match=r"GlobalNaiveBayes cannot be updated .* SparseLinear"):
        update_learner(GlobalNaiveBayes(hierarchy=H).fit(X, Y), diff, X, labels)
    stack = Stack([SparseLinear(), GlobalNaiveBayes()], combiner=Blend(), hierarchy=H, cv=2).fit(X, Y)
    with pytest.raises(CapabilityError, match="GlobalNaiveBayes cannot be updated"):
        stack.update(diff, X, labels)
    stack = Stack([SparseLinear()], combiner=FAEL(), hierarchy=H, cv=2).fit(X, Y)
    with pytest.raises(CapabilityError, match=r"FAEL cannot be updated .* FAELBlend, GreedyBlend"):
        stack.update(diff, X, labels)
    stack = Stack([SparseLinear()], combiner=FAELBlend(), hierarchy=H, cv=2).fit(X, Y, scores=[Y.astype(float)])
    with pytest.raises(CapabilityError, match="made elsewhere"):
        stack.update(diff, X, labels)
