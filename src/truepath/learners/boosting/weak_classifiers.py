"""Weak hypotheses from any scikit-learn classifier that takes sample weights: one clone per class and round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from truepath.adapters.fitting import takes_weight
from truepath.adapters.parallel import run_parallel
from truepath.held import a_number, an_object, each, either, flag, holds
from truepath.hierarchy.checks import as_scores
from truepath.records import Record

#: Probabilities are kept this far from 0 and 1 before taking odds: a vote of at most 6.9
CLIP = 1e-6
DIVERGED = "Check what the estimator does with this row of X (missing or huge values, a fit that diverged)."


@Record.enter("truepath.learners")
@holds(models=each(either(a_number(-1, 1), an_object("predict", knows=("n_features",))), "n_nodes", of=list), real=flag)
class Classifiers(NamedTuple):
    """One fitted classifier per class; a number (+1 or -1) stands for a class with one label only."""

    models: list[Any]
    real: bool

    def votes(self, X: Any) -> np.ndarray:
        """Return h_t, shape (n_samples, n_classes)."""
        votes = np.column_stack([_vote(model, X, self.real) for model in self.models])
        return as_scores(votes, "the vote matrix of the weak classifiers", remedy=DIVERGED)


class ClassifierLearner:
    """Trains one clone of a classifier for every class on the weights of its column.

    Parameters
    ----------
    classifier : scikit-learn classifier
        Its ``fit`` takes ``sample_weight``. Real votes need ``predict_proba``.
    X : ndarray or sparse array, shape (n_samples, n_features)
    y : ndarray of int8, shape (n_samples, n_classes)
        Labels as +1 and -1.
    votes : {"discrete", "real"}
    random_state : int, RandomState or None
        Seeds every clone that has a ``random_state``.
    n_jobs : int or None
        Classes fitted at once.
    """

    def __init__(
        self, classifier: Any, X: Any, y: np.ndarray, *, votes: str, random_state: Any = None, n_jobs: int | None = None
    ):
        if not takes_weight(classifier):
            raise TypeError(
                f"estimator {type(classifier).__name__} does not take sample_weight in fit; boosting needs it. "
                "Use a classifier that does, or estimator='stump'."
            )
        if votes == "real" and not hasattr(classifier, "predict_proba"):
            raise TypeError(
                f"estimator {type(classifier).__name__} has no predict_proba, which votes='real' needs; "
                "use votes='discrete'."
            )
        self.classifier, self.X, self.y = classifier, X, y
        self.real, self.n_jobs = votes == "real", n_jobs
        self.random = check_random_state(random_state)
        self.is_seeded = "random_state" in classifier.get_params()

    def train(self, w: np.ndarray) -> tuple[Classifiers, np.ndarray]:
        """Return the round's classifiers and their votes on the training rows."""
        seeds = self.random.randint(np.iinfo(np.int32).max, size=w.shape[1])
        cases = ((self._clone(seeds[j]), self.y[:, j], w[:, j]) for j in range(w.shape[1]))
        models = run_parallel(_fit, cases, common=(self.X,), n_jobs=self.n_jobs)
        hypothesis = Classifiers(models, self.real)
        return hypothesis, hypothesis.votes(self.X)

    def _clone(self, seed: int) -> Any:
        model = clone(self.classifier)
        return model.set_params(random_state=int(seed)) if self.is_seeded else model


def _fit(X: Any, model: Any, y: np.ndarray, weight: np.ndarray) -> Any:
    """Return the fitted classifier, or the only label there is."""
    if (y == y[0]).all():
        return float(y[0])
    # weights of a class may be tiny late in boosting; their scale means nothing to the classifier
    return model.fit(X, y, sample_weight=weight * (weight.size / weight.sum()))


def _vote(model: Any, X: Any, real: bool) -> np.ndarray:
    if isinstance(model, float):
        return np.full(X.shape[0], model)
    if not real:
        return model.predict(X).astype(np.float64)
    positive = np.clip(model.predict_proba(X)[:, list(model.classes_).index(1)], CLIP, 1 - CLIP)
    return 0.5 * np.log(positive / (1 - positive))
