"""Progress: reported to a function and to scikit-learn's callbacks; without either, not at all."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys

import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from foreign_learners import TREE, make_data
from places import SOURCES, TESTS
from truepath import HierarchicalClassifier
from truepath.adapters import on_progress
from truepath.combiners import Blend
from truepath.learners import BinaryRelevance, PCTForest, Stack

HAS_CALLBACKS = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


def logistic():
    return BinaryRelevance(LogisticRegression())


CASES = {
    "folds": (lambda: HierarchicalClassifier(logistic(), hierarchy=TREE, cv=3), 5),
    "folds and combiner": (lambda: HierarchicalClassifier(logistic(), "fael", hierarchy=TREE, cv=2), 4),
    "in parallel": (lambda: HierarchicalClassifier(logistic(), hierarchy=TREE, cv=3, n_jobs=2), 5),
    "out of bag": (lambda: HierarchicalClassifier(PCTForest(n_estimators=5, random_state=0), hierarchy=TREE), 2),
    "nothing to learn": (lambda: HierarchicalClassifier(logistic(), decoder="threshold", hierarchy=TREE), 1),
    "stack": (lambda: Stack([logistic(), logistic()], combiner=Blend(), hierarchy=TREE, cv=3), 9),
    "stack inside": (
        lambda: HierarchicalClassifier(Stack([logistic()], combiner=Blend(), cv=2), hierarchy=TREE, cv=2),
        4,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_part_is_reported_in_order(name):
    make, total = CASES[name]
    heard = []
    X, Y = make_data(TREE)
    with on_progress(lambda *what: heard.append(what)):
        model = make().fit(X, Y)
    assert [done for done, _, _ in heard] == list(range(total + 1))
    assert {of for _, of, _ in heard} == {total}
    assert all(what for _, _, what in heard)
    heard.clear()
    model.fit(X, Y)  # outside the block there is no listener
    assert heard == []


def test_listeners_leave_no_trace_in_the_model(tmp_path):
    X, Y = make_data(TREE)
    model = HierarchicalClassifier(logistic(), hierarchy=TREE, cv=2)
    before = set(model.get_params())
    with on_progress(lambda *what: None):  # a lambda cannot be pickled
        model.fit(X, Y)
    assert set(model.get_params()) == before
    pickle.loads(pickle.dumps(model))
    clone(model)
    model.save(tmp_path / "model.tp")
    assert (HierarchicalClassifier.load(tmp_path / "model.tp").predict(X) == model.predict(X)).all()


def test_verbose_prints_what_is_fitted_and_how_long_it_may_take(capsys):
    X, Y = make_data(TREE)
    model = HierarchicalClassifier(logistic(), hierarchy=TREE, cv=2, verbose=True).fit(X, Y)
    first, *parts = capsys.readouterr().out.splitlines()
    assert first.startswith("HierarchicalClassifier: fitting BinaryRelevance of LogisticRegression on")
    assert len(parts) == 4
    assert re.fullmatch(r"  1 of 4  held-out part 1 of 2 scored \(\d+ s, about \d+ s left\)", parts[0])
    assert re.fullmatch(r"  4 of 4  learner fitted on all rows \(\d+ s\)", parts[-1])
    with on_progress(lambda *what: None):  # a listener hears it, nothing is printed
        model.fit(X, Y)
    model.set_params(verbose=False).fit(X, Y)
    assert capsys.readouterr().out == ""


def test_an_error_ends_the_listening():
    X, Y = make_data(TREE)
    heard = []

    def stop(done, total, what):
        heard.append(done)
        raise KeyboardInterrupt

    model = HierarchicalClassifier(logistic(), hierarchy=TREE, cv=2)
    with pytest.raises(KeyboardInterrupt), on_progress(stop):
        model.fit(X, Y)
    model.fit(X, Y)
    assert heard == [0]


class Recorder:
    """A callback in scikit-learn's protocol."""

    def __init__(self):
        self.begun, self.ended = [], []

    def setup(self, estimator, context):
        self.total = context.max_subtasks

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)

    def teardown(self, estimator, context):
        self.is_done = True


@pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn has callbacks from 1.9 on")
@pytest.mark.parametrize("name", CASES)
def test_callbacks_of_scikit_learn_hear_the_same(name, tmp_path):
    make, total = CASES[name]
    X, Y = make_data(TREE)
    recorder = Recorder()
    model = make().set_callbacks(recorder).fit(X, Y)
    assert recorder.total == total
    assert recorder.begun[0] == recorder.ended[-1] == "fit"
    assert len(recorder.ended) == total + 1
    assert sorted(recorder.begun) == sorted(recorder.ended)
    assert recorder.is_done
    clone(model).fit(X, Y)
    if isinstance(model, HierarchicalClassifier):
        model.save(tmp_path / "model.tp")  # callbacks are no part of a model
        assert not hasattr(HierarchicalClassifier.load(tmp_path / "model.tp"), "_skl_callbacks")
        assert model._skl_callbacks == [recorder]


@pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn has callbacks from 1.9 on")
def test_the_progress_bar_of_scikit_learn_can_be_set(capsys):
    from sklearn.callback import ProgressBar

    X, Y = make_data(TREE)
    HierarchicalClassifier(logistic(), hierarchy=TREE, cv=2).set_callbacks(ProgressBar()).fit(X, Y)


@pytest.mark.slow
def test_without_callbacks_in_scikit_learn_progress_is_still_reported():
    """Below 1.9 there is no sklearn.callback; the rest must not depend on it."""
    code = """
import sys
from sklearn import calibration, ensemble, feature_extraction, linear_model, model_selection, pipeline
sys.modules["sklearn.callback"] = None
from truepath import HierarchicalClassifier, load_dataset
from truepath.adapters import on_progress
ds = load_dataset("toy")
heard = []
with on_progress(lambda *what: heard.append(what[:2])):
    model = HierarchicalClassifier("half", hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y)
assert not hasattr(model, "set_callbacks")
print(heard)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), str(TESTS)])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.strip() == "[(0, 1), (1, 1)]", done.stderr
