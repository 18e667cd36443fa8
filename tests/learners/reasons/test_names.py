"""What features are called: by the columns of arrays where their names are known; and the features of blends."""

import numpy as np

from truepath import HierarchicalClassifier
from truepath.classifier import FittedOn
from truepath.learners import SparseLinear, TableBlend, contributions, top_features
from truepath.preprocessing import AutoFeatures

CELLS = np.array([["1.5", "red"], ["9", "blue"], ["1", "red"], ["8", "blue"]] * 4, object)
LABELS = [["a"], ["b"]] * 8


def test_columns_of_arrays_are_called_by_their_names():
    features = AutoFeatures().fit(CELLS)
    assert features.get_feature_names_out(["size", "colour"]).tolist() == ["size", "colour_blue", "colour_red"]
    model = HierarchicalClassifier("linear").fit(CELLS, LABELS)
    model.set_fitted_on(FittedOn("table", "things", ("size", "colour"), n_rows=len(CELLS)))
    assert {name for name, _ in top_features(model)["a"]} <= {"size", "colour_blue", "colour_red"}
    assert "colour_red" in str(model.explain(CELLS[:1], n_causes=2))
    found = contributions(
        model.learner_, CELLS[:1], [0], columns=["only", "two", "three"]
    )  # as many as there are, or none
    assert "x0" in found.features.tolist()


def test_the_first_readable_member_of_a_blend_is_read():
    words = [f"the {name} word{i}" for i in range(60) for name in ("cat", "oak")]
    labels = [[name] for _ in range(60) for name in ("animal", "plant")]
    model = HierarchicalClassifier().fit(words, labels)
    blend = model.learner_[-1]
    assert isinstance(blend, TableBlend)
    assert isinstance(blend.stack_.learners_[0], SparseLinear)
    assert top_features(model, 1)["animal"][0][0] == "cat"
