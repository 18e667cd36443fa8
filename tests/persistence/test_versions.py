"""A model file under other versions than those that wrote it: it loads, or one line says which versions differ."""

from __future__ import annotations

import types
import warnings

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from persistence_room import TREE, make_scores
from truepath.combiners import FAEL, MaxUp
from truepath.errors import ModelFileError
from truepath.persistence import describe_model, load, model_file, save
from truepath.persistence.soundness import check_sound
from truepath.versions import installed_versions

OTHER = {"python": "3.99.1", "scikit-learn": "7.7", "scipy": "8.8"}


@pytest.fixture
def saved_by_others(tmp_path, monkeypatch):
    """A model that claims to come from other versions."""
    real = model_file.describe_estimator
    monkeypatch.setattr(model_file, "describe_estimator", lambda *args: {**real(*args), **OTHER})
    save(MaxUp(hierarchy=TREE).fit(make_scores()), tmp_path / "model.tp")
    return tmp_path / "model.tp"


def test_a_file_records_the_versions(tmp_path):
    save(MaxUp(hierarchy=TREE).fit(make_scores()), tmp_path / "model.tp")
    found = describe_model(tmp_path / "model.tp")
    assert installed_versions().items() <= found.items()
    assert all(found[name] for name in ("truepath", "python", "scikit-learn", "numpy", "scipy", "skops"))


def test_it_loads_with_one_warning_where_scikit_learn_differs(saved_by_others):
    with pytest.warns(UserWarning, match="saved with scikit-learn 7.7, this is") as found:
        load(saved_by_others)
    assert len(found) == 1


def test_parts_of_scikit_learn_add_no_warnings_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr("sklearn.base.__version__", "7.7")
    model = make_pipeline(StandardScaler(), BernoulliNB()).fit([[0.0], [1.0]], [0, 1])
    save(model, tmp_path / "model.tp")
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path / "model.tp")


def test_what_cannot_be_rebuilt_says_which_versions_differ(saved_by_others, monkeypatch):
    def refuse(estimator):
        raise AttributeError("no attribute of that name")

    monkeypatch.setattr(model_file, "check_sound", refuse)
    with pytest.raises(ModelFileError) as found:
        load(saved_by_others)
    text, here = str(found.value), installed_versions()
    assert "\n" not in text
    assert "saved with python 3.99.1, scipy 8.8, scikit-learn 7.7;" in text
    assert f"here are python {here['python']}, scipy {here['scipy']}, scikit-learn {here['scikit-learn']}." in text


def test_an_estimator_that_lacks_a_part_here_is_refused_when_loaded(saved_by_others):
    """As LogisticRegression of scikit-learn 1.9 has no multi_class, which 1.7 asks for when it predicts."""
    inside = BernoulliNB().fit([[0.0], [1.0]], [0, 1])
    del inside.feature_log_prob_
    save(inside, saved_by_others)
    with pytest.raises(
        ModelFileError, match=r"no attribute 'feature_log_prob_'\): it was saved with .*scikit-learn 7\.7"
    ) as found:
        load(saved_by_others)
    assert "\n" not in str(found.value)


def test_an_estimator_that_takes_no_zeros_is_loaded(saved_by_others):
    save(OneHotEncoder().fit([["a"], ["b"]]), saved_by_others)
    with pytest.warns(UserWarning, match="saved with scikit-learn 7.7"):
        load(saved_by_others)


def test_modules_and_functions_are_not_walked_into():
    """Newer operators of SciPy keep a module, from which everything that is imported can be reached."""

    class Strange:
        __slots__ = ()

        def __getattr__(self, name):  # as llvmlite's library has it: an attribute for any name
            return self

    class Holder:
        pass

    module = types.ModuleType("arrays")
    module.strange = Strange()
    holder = Holder()
    holder.module, holder.strange, holder.function, holder.ufunc = module, Strange(), saved_by_others, np.exp
    check_sound(holder)


@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_fael_keeps_nothing_of_the_operator_of_scipy(solver, tmp_path):
    S = make_scores(n_samples=60 if solver == "primal" else TREE.n_nodes - 2)
    model = FAEL(hierarchy=TREE).fit(S, TREE.close(S > 0.5))
    assert isinstance(model.weights_, LinearOperator)
    assert set(model.weights_.__getstate__()) == {"left", "factor", "right", "_matrix"}
    save(model, tmp_path / "model.tp")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = load(tmp_path / "model.tp")
    assert found.weights_.shape == model.weights_.shape
    np.testing.assert_array_equal(found.weights_ @ np.eye(TREE.n_nodes), model.weights_ @ np.eye(TREE.n_nodes))
    np.testing.assert_array_equal(found.transform(S), model.transform(S))
