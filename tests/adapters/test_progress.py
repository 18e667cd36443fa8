"""Progress: reported to a function and to scikit-learn's callbacks; without either, not at all."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys

import pytest
import sklearn
from joblib import parallel_backend
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


def small_stack(n=2, **options):
    return Stack([logistic()] * n, combiner=Blend(), **options)


#: Models, and what is done of how much after each step: decoders count little, and fits inside a part count in it
CASES = {
    "folds": (lambda: HierarchicalClassifier(logistic(), hierarchy=TREE, cv=3), [1, 2, 3, 3.05, 4]),
    "folds and combiner": (lambda: HierarchicalClassifier(logistic(), "fael", hierarchy=TREE, cv=2), [1, 2, 2.05, 3]),
    "in parallel": (lambda: HierarchicalClassifier(logistic(), hierarchy=TREE, cv=3, n_jobs=2), [1, 2, 3, 3.05, 4]),
    "out of bag": (
        lambda: HierarchicalClassifier(PCTForest(n_estimators=5, random_state=0), hierarchy=TREE),
        [0.95, 1],
    ),
    "nothing to learn": (lambda: HierarchicalClassifier(logistic(), decoder="threshold", hierarchy=TREE), [1]),
    "stack": (lambda: small_stack(hierarchy=TREE, cv=3), [*range(1, 10)]),
}
NESTED = {
    "stack inside": (
        lambda: HierarchicalClassifier(small_stack(1, cv=2), hierarchy=TREE, cv=2),
        [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.05, 2.3, 2.55, 2.8, 3],
    ),
    "in other threads": (lambda: HierarchicalClassifier(small_stack(1, cv=2), hierarchy=TREE, cv=2, n_jobs=2), None),
}


@pytest.mark.parametrize("name", [*CASES, "stack inside"])
def test_every_part_is_reported_in_order(name):
    make, steps = (CASES | NESTED)[name]
    heard = []
    X, Y = make_data(TREE)
    with on_progress(lambda *what: heard.append(what)):
        model = make().fit(X, Y)
    assert [done for done, _, _ in heard] == pytest.approx([0, *steps])
    assert {of for _, of, _ in heard} == {steps[-1]}
    assert all(what for _, _, what in heard)
    heard.clear()
    model.fit(X, Y)  # outside the block there is no listener
    assert heard == []


def test_fits_in_other_threads_report_nothing():
    heard = []
    X, Y = make_data(TREE)
    with on_progress(lambda *what: heard.append(what[:2])), parallel_backend("threading"):
        NESTED["in other threads"][0]().fit(X, Y)
    assert [done for done, _ in heard[:3]] == [0, 1, 2]


def test_members_of_the_default_are_named_as_they_finish():
    """A part in which several fits follow each other never goes back."""
    heard = []
    X, Y = make_data(TREE)
    with on_progress(lambda *what: heard.append(what)):
        model = HierarchicalClassifier(hierarchy=TREE).fit(X, Y)
    done = [step[0] for step in heard]
    assert done == sorted(done)
    assert len(set(done)) > 3
    for one in model.tried_[:2]:
        assert any(repr(one.name) in what for _, _, what in heard), one


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
    assert re.fullmatch(r"   33 %  held-out part 1 of 2 scored \(\d+ s, about \d+ s left\)", parts[0])
    assert re.fullmatch(r"  100 %  learner fitted on all rows \(\d+ s\)", parts[-1])
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
    make, steps = CASES[name]
    total = len(steps)
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
    assert done.stdout.strip() == "[(0.0, 1), (1.0, 1)]", done.stderr
