"""AdaBoost.MH (Schapire & Singer 1999): boosting for sets of labels, blind to the hierarchy while it trains.

Every pair of an instance and a label has a weight. A round trains a weak hypothesis on the weights and moves weight to
the pairs it got wrong; the final vote is the weighted sum of all rounds. The mean over pairs of exp(-margin) falls by
the factor Z_t in round t, so the (weighted) Hamming loss on the training rows is at most the product of all Z_t.

References
----------
R. E. Schapire, Y. Singer. Improved boosting algorithms using confidence-rated predictions. Machine Learning 37, 1999.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import train_test_split

from truepath.held import an_object, apart, each, flag, flags, holds, numbers
from truepath.hierarchy import Hierarchy
from truepath.learners.base import check_fit_input, groups_to_learn, leave_out_weightless
from truepath.learners.boosting.answers import BoostedLearner, dense_rows, signs
from truepath.learners.boosting.rounds import Monitor, boost, start_weights
from truepath.learners.boosting.stumps import CRITERIA, MAX_DEPTH, TreeLearner, Trees
from truepath.learners.boosting.weak_classifiers import ClassifierLearner
from truepath.learners.single_path import is_single_path
from truepath.parameters import check_choice, check_number
from truepath.resampling import share_rows, split_folds

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(
    single_path_=flag,
    _always=flags("n_nodes"),
    _never=flags("n_nodes"),
    alphas_=numbers("rounds"),
    hypotheses_=each(apart(an_object("votes", knows=("n_features", "n_nodes"))), "rounds", of=list),
)
class AdaBoostMH(BoostedLearner):
    """AdaBoost.MH with stumps or small trees, or any classifier that takes weights.

    Parameters
    ----------
    estimator : "stump" or scikit-learn classifier, default="stump"
        A classifier must take ``sample_weight``; one clone is fitted for every class and round.
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree. It makes the scores coherent; training ignores it.
    n_estimators : int, default=200
        The number of rounds, at most: a perfect round or one without an edge ends the training.
    learning_rate : float, default=1.0
        Shrinks every coefficient alpha_t.
    votes : {"discrete", "real"}, default="discrete"
        Whether a leaf votes +1 or -1, all rounds being weighted by alpha_t, or a real number, its confidence.
    labels : {"independent", "joint"}, default="independent"
        Whether every class has a tree of its own, as in Chelmis & Qi, or one tree serves all classes, with a vote
        per class in each leaf (Schapire & Singer). For ``estimator="stump"`` only.
    criterion : {"auto", "edge", "z", "gini"}, default="auto"
        What stumps are chosen by; "auto" is "edge" for discrete votes, "z" for real ones. "gini" is scikit-learn's.
    max_depth : int, default=2
        The depth of the trees, up to 7; 1 is a stump, as in the papers. A round costs about 2^max_depth - 1 stumps.
    max_bins : int or None, default=255
        Features with more distinct values are cut at this many places only; None tries every cut.
    single_path : bool or "auto", default="auto"
        Whether ``predict`` returns one path to a leaf, that of the largest mean margin (:class:`BestPath`), rather than
        every label of positive margin. "auto" does so if every training row is a single path.
    n_iter_no_change : int, optional
        Stop when the hierarchy-aware Hamming loss of held-out rows has not fallen for this many rounds, and keep the
        rounds up to its minimum.
    validation_fraction : float, default=0.1
        The share of rows held out, if ``n_iter_no_change`` is given.
    tol : float, default=0.0
        By how much the loss must fall to count.
    random_state : int, RandomState or None, default=0
        For the held-out rows and the seeds of a given ``estimator``; stumps are not random.
    n_jobs : int, optional
        Threads over features (stumps), or joblib workers over classes. The result does not depend on it.

    Attributes
    ----------
    hypotheses_ : list
        The weak hypothesis of each round; ``hypotheses_[t].votes(X)`` is h_t before any clipping.
    alphas_, edges_, normalizers_ : ndarray, shape (n_rounds,)
        alpha_t, r_t and Z_t of each round.
    training_loss_ : ndarray, shape (n_rounds,)
        The hierarchy-aware Hamming loss on the training rows after each round.
    validation_loss_ : ndarray
        The same on held-out rows, over all rounds tried; empty without early stopping.
    n_estimators_ : int
    single_path_ : bool
    hierarchy_ : Hierarchy

    See Also
    --------
    HAdaBoostMH : weighs labels by their place in the hierarchy, and may constrain the weak hypotheses.

    Notes
    -----
    Stumps take missing values (NaN): each cut learns the side they go to. For a feature with no missing value in
    training, that is the side with more training rows. A given ``estimator`` decides for itself. Sparse X is binned
    column by column and made dense in blocks of rows for prediction; bins need n_samples * n_features bytes (four times
    as many where a feature has more than 255 bins), the sorted rows up to four times that.

    A round costs O(n_samples * n_nodes * bundles) additions, where a bundle holds as many features as have few joint
    values; weights, margins and votes need 24 bytes per cell (n_samples * n_nodes).

    Labels that all or no training rows have get the scores 1 and 0. Equal gains (to 36 bits) go to the smaller
    feature, then the smaller cut. A tie of positive and negative weight votes -1.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> learner = AdaBoostMH(n_estimators=10).fit(X, ["a/1", "a/2", "b/1", "b/2"])
    >>> learner.hierarchy_.decode(learner.predict(X))
    [('a/1',), ('a/2',), ('b/1',), ('b/2',)]
    """

    name = "ada-boost-mh"
    summary = "boosted small trees for label sets, all labels weighing the same"
    learns_from = "rows and their labels"

    def __init__(
        self,
        estimator: Any = "stump",
        *,
        hierarchy: Hierarchy | None = None,
        n_estimators: int = 200,
        learning_rate: float = 1.0,
        votes: str = "discrete",
        labels: str = "independent",
        criterion: str = "auto",
        max_depth: int = 2,
        max_bins: int | None = 255,
        single_path: bool | str = "auto",
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        tol: float = 0.0,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.votes = votes
        self.labels = labels
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.single_path = single_path
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Run the rounds.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : closed 0/1 matrix (n_samples, n_nodes), dense or sparse, or label names or paths
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two equals the row twice, unless binning or a held-out part treats the two differently.
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are held out together.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, allow_nan=True, dtype=np.float64)
        y, groups = signs(Y), groups_to_learn(groups, Y.shape[0], weight)
        X, y, weight = leave_out_weightless(X, y, weight)
        self.single_path_ = is_single_path(y > 0, hierarchy) if self.single_path == "auto" else self.single_path
        self._always, self._never = (y > 0).all(axis=0), (y < 0).all(axis=0)
        X, y, weight, monitor = self._hold_out(X, y, weight, groups)
        history = boost(
            self._weak(X, y),
            y,
            start_weights(len(y), self._costs(hierarchy), weight),
            hierarchy,
            n_rounds=self.n_estimators,
            learning_rate=self.learning_rate,
            real=self.votes == "real",
            clip=self._clip_in_training,
            enforce=self._enforce_at_prediction,
            monitor=monitor,
        )
        self.hypotheses_, self.alphas_, self.edges_, self.normalizers_, self.training_loss_ = history[:5]
        self.validation_loss_ = history.validation_loss
        self.n_estimators_ = len(self.hypotheses_)
        return self

    def _costs(self, hierarchy: Hierarchy) -> np.ndarray:
        """Return the labels' shares of the first weights: all the same."""
        return np.ones(hierarchy.n_nodes)

    def check_loaded(self) -> None:
        """Refuse trees from a file that ask for features that do not exist: the kernels follow them unchecked."""
        for hypothesis in self.hypotheses_:
            if isinstance(hypothesis, Trees):
                hypothesis.check(self.n_features_in_, self.hierarchy_.n_nodes)

    def _check_parameters(self) -> None:
        check_number(self, "n_estimators", Integral, 1)
        check_number(self, "learning_rate", Real, 0, above=True)
        check_number(self, "max_depth", Integral, 1, MAX_DEPTH)
        check_choice(self, "votes", ("discrete", "real"))
        check_choice(self, "labels", ("independent", "joint"))
        check_choice(self, "criterion", ("auto", *CRITERIA))
        check_choice(self, "single_path", (True, False, "auto"))
        check_number(self, "max_bins", Integral, 2, none=True)
        check_number(self, "n_iter_no_change", Integral, 1, none=True)
        if isinstance(self.estimator, str) and self.estimator != "stump":
            raise ValueError(f"estimator must be 'stump' or a scikit-learn classifier; got {self.estimator!r}.")

    def _weak(self, X: Any, y: np.ndarray) -> TreeLearner | ClassifierLearner:
        """Return the object that trains one round."""
        if isinstance(self.estimator, str):
            criterion = self.criterion
            if criterion == "auto":
                criterion = "z" if self.votes == "real" else "edge"
            options: dict[str, Any] = {"max_depth": self.max_depth, "max_bins": self.max_bins, "n_jobs": self.n_jobs}
            return TreeLearner(X, y, shared=self.labels == "joint", votes=self.votes, criterion=criterion, **options)
        return ClassifierLearner(
            self.estimator, X, y, votes=self.votes, random_state=self.random_state, n_jobs=self.n_jobs
        )

    def _hold_out(
        self, X: Any, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None
    ) -> tuple[Any, np.ndarray, np.ndarray | None, Monitor | None]:
        """Return the training part and a monitor of the rest, if early stopping is asked for."""
        if self.n_iter_no_change is None:
            return X, y, weight, None
        if groups is None:
            train, held_out = train_test_split(
                np.arange(len(y)), test_size=self.validation_fraction, random_state=self.random_state
            )
        else:
            share = self.validation_fraction
            train, held_out = split_folds(share_rows(y > 0, [1 - share, share], self.random_state, groups))[1]
        monitor = Monitor(dense_rows(X[held_out]), y[held_out], self.n_iter_no_change, self.tol)
        return X[train], y[train], None if weight is None else weight[train], monitor
