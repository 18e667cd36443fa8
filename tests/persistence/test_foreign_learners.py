"""Models around learners of other libraries: what can be fitted and saved can be loaded, and gives the same scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from foreign_learners import FOREIGN, TREE, make_data
from truepath import HierarchicalClassifier
from truepath.errors import ModelFileError
from truepath.learners import PerNode, Stack
from truepath.persistence import describe_model, load, save

QUIET = ("ignore:Label .* is present in all", "ignore:lbfgs failed to converge", "ignore:Skipping features")
pytestmark = [pytest.mark.filterwarnings(line) for line in QUIET]

HOLDS_A_FUNCTION = "pipeline with selection"  # which features to select; refused when it is saved
LEARNERS = {
    **{name: make for name, make in FOREIGN.items() if name != HOLDS_A_FUNCTION},
    "margins": LinearSVC,
    "pipeline of margins": lambda: make_pipeline(StandardScaler(), LinearSVC()),
}
WAYS = {
    "in a classifier": lambda learner: HierarchicalClassifier(learner, hierarchy=TREE, cv=2),
    "in a stack": lambda learner: Stack([learner, RidgeClassifier()], hierarchy=TREE, cv=2),
    "per node": lambda learner: PerNode(learner, hierarchy=TREE),
}
#: Learners of several labels, which no node has
OF_SEVERAL = ("multi", "chain", "one-vs", "pipeline of multi", "search over multi", "search over ours", "duck", "list")


CASES = [(name, way) for name in LEARNERS for way in WAYS if way != "per node" or not name.startswith(OF_SEVERAL)]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_what_is_saved_can_be_loaded(name, way, tmp_path):
    X, Y = make_data(TREE)
    model = WAYS[way](LEARNERS[name]()).fit(X, Y)
    save(model, tmp_path / "model")
    trusted = describe_model(tmp_path / "model")["untrusted_types"]
    again = load(tmp_path / "model", trusted=trusted)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_what_holds_a_function_is_refused_when_it_is_saved(tmp_path):
    model = HierarchicalClassifier(FOREIGN[HOLDS_A_FUNCTION](), hierarchy=TREE, cv=2).fit(*make_data(TREE))
    with pytest.raises(ModelFileError, match="f_classif, which could be called"):
        save(model, tmp_path / "model")


def test_a_pipeline_without_a_learner_is_refused(tmp_path):
    X, Y = make_data(TREE)
    model = HierarchicalClassifier(make_pipeline(StandardScaler(), RidgeClassifier()), hierarchy=TREE).fit(X, Y)
    model.learner_ = Pipeline([("only", StandardScaler().fit(X))])
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="does not score rows"):
        load(tmp_path / "model")
