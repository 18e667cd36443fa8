"""Every learner, combiner and decoder, fitted on small data, to be compared between joblib's backends."""

from __future__ import annotations

import inspect
import os
import signal
from contextlib import suppress
from functools import cache

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from learners_room import DAG, NEEDS_A_CLASSIFIER, TREE, is_installed, make, make_data, make_rows, members, trees_only
from truepath import Dataset, HierarchicalClassifier, Hierarchy
from truepath.data import Split
from truepath.learners import PCTForest, PCTree, Stack
from truepath.registry import COMBINERS, DECODERS

#: What keeps the suite quick, of a learner made of many
N_ESTIMATORS = 4
#: Cutset networks take dense discrete features
DENSE_ONLY = {name for name, member in members().items() if "discrete features" in member.needs}
#: Of a fitted object: how it was to be fitted, and how long that took
NOT_COMPARED = {"n_jobs", "seconds_", "tried_"}
SHAPES = ("tree", "dag", "sparse X", "sparse y")


def with_jobs():
    """Return the names of the learners that take n_jobs, a stack included."""
    return [*sorted(name for name, cls in members().items() if "n_jobs" in inspect.signature(cls).parameters), "stack"]


def suits(name, shape):
    return (shape != "dag" or name not in trees_only()) and (shape != "sparse X" or name not in DENSE_ONLY)


def outputs(shape):
    """Return what is compared of a learner: the fitted object, scores with two jobs and with one, and labels."""
    always = ("fitted", "scores there", "scores at home", "one job")
    return always if "sparse" in shape else (*always, "labels there")


def build(name, hierarchy, n_jobs=None):
    if name == "stack":
        learners = [PCTForest(n_estimators=3, random_state=0), PCTree(random_state=0)]
        return Stack(learners, combiner="blend", cv=2, hierarchy=hierarchy, n_jobs=n_jobs)
    options = {"estimator": LogisticRegression(C=0.5)} if NEEDS_A_CLASSIFIER in members()[name].needs else {}
    if name == "hbr":
        options["estimator"] = LogisticRegression(C=0.5)
    if "n_estimators" in inspect.signature(members()[name]).parameters:
        options["n_estimators"] = N_ESTIMATORS
    return make(name, hierarchy, random_state=3, n_jobs=n_jobs, **options)


@cache
def data(name, shape):
    """Return features, labels and hierarchy: rows enough to differ, few enough to be quick."""
    hierarchy = DAG if shape == "dag" else TREE
    X, Y = make_data(hierarchy, 40)
    if name in DENSE_ONLY:
        X = make_rows(40)[0]
    X = sparse.csr_array(np.where(X > 0, X, 0.0)) if shape == "sparse X" else X
    return X, sparse.csr_array(Y) if shape == "sparse y" else Y, hierarchy


def fit(name, shape, n_jobs):
    X, Y, hierarchy = data(name, shape)
    return build(name, hierarchy, n_jobs).fit(X, Y)


@cache
def at_home(name, shape):
    """Return the model, its scores and its labels, made without any backend."""
    X, _, _ = data(name, shape)
    model = fit(name, shape, None)
    return model, model.predict_proba(X), model.predict(X)


def same(a, b):
    """Say whether two objects hold the same bits, however deep; the number of jobs and the seconds taken aside."""
    if type(a) is not type(b):
        return False
    if sparse.issparse(a):
        return a.shape == b.shape and all(same(getattr(a, f), getattr(b, f)) for f in ("data", "indices", "indptr"))
    if isinstance(a, np.ndarray):
        whole = a.dtype == b.dtype and a.shape == b.shape
        return whole and (same(a.tolist(), b.tolist()) if a.dtype == object else a.tobytes() == b.tobytes())
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a if key not in NOT_COMPARED)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__dict__") and not isinstance(a, (type, Hierarchy)) and not callable(a):
        return same(vars(a), vars(b))
    return a is b or bool(a == b) or (a != a and b != b)


def plan():
    """Return an experiment with every learner, every combiner and every decoder."""
    tree = PCTree(random_state=0)
    methods = {name: build(name, None) for name in sorted(members()) if is_installed(name)}
    for combiner in COMBINERS.members():
        of_several = "several learners' scores" in combiner.needs
        learner = Stack([tree], combiner=combiner(), cv=2) if of_several else tree
        given = {} if of_several else {"combiner": combiner.name}
        methods[f"combiner {combiner.name}"] = HierarchicalClassifier(learner, cv=2, **given)
    for decoder in DECODERS.members():
        methods[f"decoder {decoder.name}"] = HierarchicalClassifier(tree, decoder=decoder.name, cv=2)
    X, Y = make_data(TREE, 40)
    X = np.digitize(X, [-0.5, 0.5]).astype(float)  # discrete, for all
    ds = Dataset("made", TREE, {"all": Split(X, Y)}, [f"x{j}" for j in range(X.shape[1])])
    return {"datasets": {"made": ds}, "methods": methods, "folds": 2, "measures": ["micro_f1", "h_loss"]}


def kill_a_worker(marker):
    """On a worker: end its process at its next job, unless another has made the marker file."""
    from truepath.adapters import parallel

    run = parallel._Call.__call__

    def run_or_die(self, *args):
        with suppress(FileExistsError), open(marker, "x"):
            os.kill(os.getpid(), signal.SIGKILL)
        return run(self, *args)

    parallel._Call.__call__ = run_or_die
