"""Every learner of the registry, ready to be fitted: a new member is tested by existing, wherever it is written."""

from __future__ import annotations

import inspect
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from truepath import Hierarchy
from truepath.registry import LEARNERS as REGISTRY

NEEDS_A_CLASSIFIER = "a classifier or pipeline"
NEEDS_A_TREE = "a tree"
NEEDS_LEARNERS = "learners"
NEEDS_TORCH = "torch"


def members():
    """Return the classes of all learners by name, those of other packages too; a stack is made of learners."""
    return {cls.name: cls for cls in REGISTRY.members() if NEEDS_LEARNERS not in cls.needs}  # see test_stack.py


LEARNERS = sorted(members())


def logistic(**options):
    return LogisticRegression(tol=1e-10, max_iter=5000, **options)


# Beside the hierarchy: what keeps the suite quick and the answer well defined
SETTINGS = {
    "hbr": {"estimator": logistic()},
    "sibling-lasso": {"alpha": 0.02, "tol": 1e-10, "max_iter": 20_000},
    "sparse-linear": {"C": 1.0, "loss": "log", "tol": 1e-9, "max_iter": 5000, "min_weight": 0.0},
    "ada-boost-mh": {"n_estimators": 20},
    "h-ada-boost-mh": {"n_estimators": 20},
    "boosted-trees": {"max_iter": 20, "max_leaves": 8, "subsample": 1.0},
    "bagged-cutset-networks": {"n_estimators": 4, "random_state": 0},
    "pct-forest": {"n_estimators": 8, "random_state": 0},
    "table-blend": {"members": ["kernel ridge, laplacian", "kernel ridge, rbf"]},  # all of them: test_table_blend.py
    # the kernel of sparse rows is another one unless it is named, and leaving out one of two equal rows is no test
    "kernel-ridge": {"kernel": "linear", "alpha": 0.01, "normalize": None},
    # sparse rows stay as they are
    "network": {
        "hidden_layer_sizes": (16,),
        "n_estimators": 2,
        "dropout": 0.0,
        "learning_rate": 0.05,
        "n_epochs": 15,
        "batch_size": 32,
        "normalize": None,
        "device": "cpu",
    },
}
# Members that draw bootstrap samples or otherwise count rows: a weight of two is not the same as two rows
WEIGHT_IS_NOT_REPETITION = {
    "bagged-cutset-networks": "draws bootstrap samples of rows",
    "pct-forest": "draws bootstrap samples of rows",
    "network": "draws batches of rows",
    "table-blend": "deals rows into folds, and its forests draw them",
}

TREE = Hierarchy.from_paths(["a/1", "a/2", "a/3", "b/1", "b/2", "c"])
DAG = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("c", "e"), ("d", "e")])
HIERARCHIES = {"tree": TREE, "dag": DAG, "flat": Hierarchy.flat(4), "one": Hierarchy.flat(["only"])}


def is_installed(name):
    """Say whether the packages that a learner needs are there."""
    return NEEDS_TORCH not in REGISTRY[name].needs or find_spec("torch") is not None


def make(name, hierarchy=None, **options):
    """Build a learner, with logistic regression where a classifier is needed."""
    cls = REGISTRY[name]
    if NEEDS_TORCH in cls.needs:
        pytest.importorskip("torch", reason="PyTorch is not installed").set_num_threads(1)  # tiny fits wait for threads
    if NEEDS_A_CLASSIFIER in cls.needs:
        options.setdefault("estimator", logistic())
    parameters = inspect.signature(cls).parameters
    options = {**SETTINGS.get(name, {}), **options}
    return cls(hierarchy=hierarchy, **{key: value for key, value in options.items() if key in parameters})


def make_data(hierarchy, n_samples=60, n_features=5, seed=0):
    """Draw features and closed labels that depend on them; every row has a label if it can."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    scores = X @ rng.normal(size=(n_features, hierarchy.n_nodes)) + rng.normal(size=(n_samples, hierarchy.n_nodes))
    Y = hierarchy.close(scores > 0.8)
    return X, Y


def make_rows(n_rows=70, n_labels=3, n_features=5, seed=0):
    """Draw discrete features and flat labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, n_features)).astype(float)
    return X, (X[:, :n_labels] + rng.random((n_rows, n_labels)) > 1.4)


def exclusive_data(seed=0):
    """Rows with one path each, some of which stop early."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    labels = np.array(["a/1", "a/2", "a/3", "b/1", "b/2", "c", "a"])[(X[:, 0] * 2 + X[:, 1] + 3).astype(int).clip(0, 6)]
    return X, TREE.encode(labels.tolist())


def trees_only():
    """Names of the learners that refuse a DAG."""
    return sorted(name for name, cls in members().items() if NEEDS_A_TREE in cls.needs)


def cases():
    """Pairs (learner, kind of hierarchy) that fit together."""
    return [
        (name, kind) for name in sorted(members()) for kind in HIERARCHIES if kind != "dag" or name not in trees_only()
    ]


__all__ = [
    "DAG",
    "HIERARCHIES",
    "LEARNERS",
    "TREE",
    "WEIGHT_IS_NOT_REPETITION",
    "cases",
    "exclusive_data",
    "is_installed",
    "logistic",
    "make",
    "make_data",
    "make_rows",
    "members",
    "trees_only",
]


def as_plain_hierarchy(learner):
    """Return the hierarchy with the groups of a linear learner in it, and where each label is."""
    from truepath.learners.linear.label_graph import LabelGraph  # here: other tests move this file

    graph = LabelGraph(*learner._graph)
    names = [f"g{c}" if v < 0 else str(learner.hierarchy_.names[v]) for c, v in enumerate(graph.node_of)]
    edges = [(names[u], names[c]) for c, u in zip(*graph.edges())]
    edges += [(None, names[c]) for c in np.flatnonzero(np.diff(graph.parent_ptr) == 0)]
    h = Hierarchy.from_edges(edges)
    return h, h.indices([str(name) for name in learner.hierarchy_.names])
