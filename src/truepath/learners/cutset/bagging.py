"""A bag of cutset networks: the mixture of networks learned on bootstrap samples, since a single one overfits.

The mixture's joint probability, its marginals and its samples are exact: averages over members. The most probable
label set of a mixture is not tractable; ``predict`` takes, among the members' own most probable sets, the one that the
mixture finds most probable. That set is closed since each candidate is.

References
----------
N. Di Mauro, A. Vergari, T. M. Basile. Learning Bayesian random cutset forests. ISMIS 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import check_random_state

from truepath.adapters import encode_labels
from truepath.adapters.parallel import run_parallel
from truepath.adapters.rows import take_rows
from truepath.adapters.varying import find_constant_labels
from truepath.held import an_object, each, holds, numbers
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import already_checked
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import check_fit_input, check_predict_input
from truepath.learners.cutset.estimator import JointLearner
from truepath.learners.cutset.network import RestrictedCutsetNetwork

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

_MAX_SEED = np.iinfo(np.int32).max


@holds(
    _shared=numbers("n_nodes", least=0, most=1, gaps=True),
    estimators_=each(an_object("predict_marginals"), of=list),
)
class BaggedCutsetNetworks(MetaEstimatorMixin, JointLearner):
    """A mixture of cutset networks with equal weights, each learned on rows drawn with replacement.

    Parameters
    ----------
    estimator : cutset estimator, optional
        A :class:`RestrictedCutsetNetwork` by default.
    hierarchy : Hierarchy, optional
        The label hierarchy, handed to every member; None for a flat label set.
    n_estimators : int, default=10
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        As in joblib. The same seed gives the same bits for any number.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> Y = np.column_stack([X[:, 0], X[:, 0] & X[:, 1]])
    >>> bag = BaggedCutsetNetworks(n_estimators=5, random_state=0).fit(X, Y)
    >>> bag.predict([[1, 1], [0, 1]]).astype(int)
    array([[1, 1],
           [0, 0]])
    """

    name = "bagged-cutset-networks"
    summary = "mixture of cutset networks learned on bootstrap samples"

    def __init__(
        self,
        estimator: Any = None,
        *,
        hierarchy: Hierarchy | None = None,
        n_estimators: int = 10,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the members. Rows are drawn in proportion to ``sample_weight``, where given."""
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, allow_nan=True)
        drawn = Y if weight is None else Y[np.flatnonzero(weight)]
        self._shared = find_constant_labels(as_dense(drawn))
        base = RestrictedCutsetNetwork() if self.estimator is None else self.estimator
        share = None if weight is None else weight / weight.sum()
        rng = check_random_state(self.random_state)
        seeds = rng.randint(_MAX_SEED, size=self.n_estimators)
        common = (base, hierarchy, X, Y, share)
        self.estimators_ = run_parallel(_fit_member, ((seed,) for seed in seeds), common=common, n_jobs=self.n_jobs)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return, of the members' most probable label sets, the one most probable under the mixture."""
        X = check_predict_input(self, X, allow_nan=True)
        best = np.full(X.shape[0], -np.inf)
        chosen = np.zeros((X.shape[0], self.hierarchy_.n_nodes), bool)
        for member in self.estimators_:
            Y = member.predict(X)
            value = self.joint_log_proba(X, Y)
            wins = value > best
            best[wins], chosen[wins] = value[wins], Y[wins]
        return chosen

    def predict_marginals(self, X: Any) -> np.ndarray:
        """Return P(label on | features) under the mixture: members weighted by how well they explain the features."""
        X = check_predict_input(self, X, allow_nan=True)
        evidence = np.array([member.evidence_log_proba(X) for member in self.estimators_])
        weights = np.exp(evidence - logsumexp(evidence, axis=0))
        return sum(w[:, None] * member.predict_marginals(X) for w, member in zip(weights, self.estimators_))

    def joint_log_proba(self, X: Any, y: Any) -> np.ndarray:
        """Return log P(x, y) under the mixture."""
        X = check_predict_input(self, X, allow_nan=True)
        Y = encode_labels(y, self.hierarchy_)
        members = [member.joint_log_proba(X, Y) for member in self.estimators_]
        return logsumexp(members, axis=0) - np.log(len(members))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows: a member at random, then from it."""
        rng = check_random_state(random_state)
        sizes = rng.multinomial(n_samples, np.full(len(self.estimators_), 1 / len(self.estimators_)))
        drawn = [member.sample(size, rng) for member, size in zip(self.estimators_, sizes) if size]
        order = rng.permutation(n_samples)
        return np.vstack([X for X, _ in drawn])[order], np.vstack([Y for _, Y in drawn])[order]


def _fit_member(base: Any, hierarchy: Hierarchy, X: Any, Y: Any, share: np.ndarray | None, seed: int) -> Any:
    rows = np.random.RandomState(seed).choice(X.shape[0], size=X.shape[0], p=share)
    labels = take_rows(Y, rows)
    with already_checked(labels, hierarchy):
        return clone(base).set_params(hierarchy=hierarchy).fit(take_rows(X, rows), labels)
