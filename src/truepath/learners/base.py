"""What a learner is: ``fit(X, Y, sample_weight=None)``, ``predict_proba(X) -> S``, ``predict(X) -> Y``.

Every learner takes ``hierarchy=`` in its constructor and, once fitted, knows it as ``hierarchy_``. Its scores ``S``
are coherent marginals, so the default decision, every label scored above one half, is closed. Validation is shared:
:func:`check_fit_input` and :func:`check_predict_input` set what scikit-learn expects of a fitted estimator
(``n_features_in_``, ``feature_names_in_``) and return checked arrays; nothing is kept on the learner but
``hierarchy_``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from truepath.adapters import encode_labels
from truepath.adapters.capabilities import offers
from truepath.adapters.groups import check_groups
from truepath.adapters.labels import derive_hierarchy, split_paths
from truepath.adapters.rows import count_rows, mark_rows, plain_rows, refuse_complex, take_rows
from truepath.adapters.strings import code_strings
from truepath.english import counted
from truepath.errors import TruePathError
from truepath.held import a_hierarchy, holds, maybe
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.checks import check_weight
from truepath.hierarchy.matrices import as_dense
from truepath.registry import LEARNERS, Member

#: A label whose marginal lies above this is predicted
HALF = 0.5


@holds(hierarchy=maybe(a_hierarchy), hierarchy_=a_hierarchy)
class HierarchicalLearner(Member, ClassifierMixin, BaseEstimator):
    """Base class of the learners: ``predict`` and ``score`` from ``predict_proba``, and scikit-learn's tags.

    A subclass stores its parameters in ``__init__`` (``hierarchy`` among them), sets ``hierarchy_`` in ``fit`` by
    :func:`check_fit_input`, and returns coherent marginals from ``predict_proba``. One that sets ``name`` and
    ``summary`` is found by that name in ``truepath.registry.LEARNERS``; ``takes_missing`` says that X may hold NaN.
    """

    registry = LEARNERS
    takes_missing = False
    hierarchy: Hierarchy | None
    hierarchy_: Hierarchy

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The label numbers, as scikit-learn's one-vs-rest lists them; ``cross_val_predict`` asks for them."""
        check_is_fitted(self, "hierarchy_")
        return np.arange(self.hierarchy_.n_nodes)

    def predict_proba(self, X: Any) -> Any:
        """Return coherent marginals, shape (n_samples, n_nodes)."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it scores labels.")

    def predict(self, X: Any) -> np.ndarray:
        """Return the closed label matrix: every label whose marginal exceeds one half.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)

        Returns
        -------
        Y : ndarray of bool, shape (n_samples, n_nodes)
        """
        return self.predict_proba(X) > HALF

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose label set is predicted exactly (scikit-learn's default for label sets)."""
        found = self.predict(X)
        truth = as_dense(encode_labels(y, self.hierarchy_))
        return float(np.average((found == truth).all(axis=1), weights=sample_weight))

    def input_checks(self, X: Any) -> dict[str, bool]:
        """Return how X is checked, as options of :func:`check_fit_input`."""
        return {"allow_nan": get_tags(self).input_tags.allow_nan}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.takes_missing
        return tags


class FitInput(NamedTuple):
    """What :func:`check_fit_input` returns."""

    X: Any
    y: Any  # bool, closed: ndarray or csr_array
    sample_weight: NDArray[np.float64] | None
    hierarchy: Hierarchy


def check_fit_input(
    learner: Any,
    X: Any,
    Y: Any,
    sample_weight: Any = None,
    *,
    allow_nan: bool = False,
    pass_through: bool = False,
    dtype: Any = None,
    again: bool = False,
) -> FitInput:
    """Check what ``fit`` was given and set ``hierarchy_``, ``n_features_in_`` and ``feature_names_in_``.

    Parameters
    ----------
    learner : estimator with a ``hierarchy`` parameter
        And perhaps ``sep`` and ``between``, the separators in label names.
    X : array-like, sparse matrix or data frame, shape (n_samples, n_features)
        Becomes a float32 or float64 array, or CSR.
    Y : see :func:`truepath.adapters.encode_labels`
        A closed 0/1 matrix, or label names or paths, one collection per instance.
    sample_weight : array-like of shape (n_samples,), optional
    allow_nan : bool, default=False
        Whether X may hold NaN.
    pass_through : bool, default=False
        Leave X as it is (frames, texts), for a pipeline or another step that takes it so.
    dtype : type or list of types, default=[float64, float32]
        What a checked X may hold.
    again : bool, default=False
        Whether the learner is fitted, and these are more rows of the same columns and labels.
    """
    X = _check_features(learner, X, allow_nan, pass_through, dtype, reset=not again)
    if Y is None:
        raise ValueError(
            f"{type(learner).__name__} requires y to be passed, but the target y is None: give the labels."
        )
    sep = getattr(learner, "sep", "/")
    Y = split_paths(Y, sep, getattr(learner, "between", None))
    known = learner.hierarchy_ if again else learner.hierarchy
    hierarchy = known if known is not None else derive_hierarchy(Y, sep)
    Y = encode_labels(Y, hierarchy)
    n_samples = count_rows(X)
    if Y.shape[0] != n_samples:
        raise ValueError(
            f"X has {counted(n_samples, 'row')} but y has {Y.shape[0]}; they must describe the same instances."
        )
    learner.hierarchy_ = hierarchy
    return FitInput(X, Y, check_weight(sample_weight, n_samples), hierarchy)


def check_predict_input(
    learner: Any, X: Any, *, allow_nan: bool = False, pass_through: bool = False, dtype: Any = None
) -> Any:
    """Check that the learner is fitted and that X has the form of the X of ``fit``; return X checked the same way."""
    check_is_fitted(learner, "hierarchy_")
    return _check_features(learner, X, allow_nan, pass_through, dtype, reset=False)


def _check_features(learner: Any, X: Any, allow_nan: bool, pass_through: bool, dtype: Any, reset: bool) -> Any:
    X = plain_rows(X)
    refuse_complex(X)
    if pass_through:
        if hasattr(X, "shape") and len(X.shape) == 2:
            validate_data(learner, X, skip_check_array=True, reset=reset)
        return X
    may_hold_words = hasattr(X, "columns") or getattr(getattr(X, "dtype", None), "kind", "O") in "OUT"
    if may_hold_words and hasattr(learner, "categorical_features"):
        X = code_strings(learner, X, reset)
    elif reset:
        vars(learner).pop("strings_", None)
    finite = "allow-nan" if allow_nan else True
    dtype = [np.float64, np.float32] if dtype is None else dtype
    return validate_data(learner, X, accept_sparse="csr", dtype=dtype, ensure_all_finite=finite, reset=reset)


def copy_for_change(learner: Any, diff: HierarchyDiff) -> Any:
    """Return an unfitted copy of a fitted learner for a changed hierarchy; refuse a change of another hierarchy."""
    check_is_fitted(learner, "hierarchy_")
    if diff.old != learner.hierarchy_:
        raise TruePathError(
            f"the change does not start from the hierarchy that {type(learner).__name__} was fitted with: it is of "
            f"{diff.old}, not of {learner.hierarchy_}."
        )
    return clone(learner).set_params(hierarchy=diff.new)


def mark_training(X: Any, weight: np.ndarray | None) -> int:
    """Return a number that tells rows to learn from, in any order, from others; see :func:`is_all_known`."""
    return int(mark_rows(X, weight).sum() >> np.uint64(32))


def is_all_known(trained_on: int, diff: HierarchyDiff, X: Any, Y: Any) -> bool:
    """Say whether rows are those that a learner was fitted on, and no row has a label that is new or a part of one.

    What was fitted then has seen all that there is to tell apart. ``trained_on`` is the ``mark_training`` of its fit.
    """
    unseen = diff.new.indices([*diff.added, *(part for parts in diff.split.values() for part in parts)])
    return not Y[:, unseen].sum() and mark_training(X, None) == trained_on


def fit_made(learner: Any, made: Any, X: Any) -> None:
    """Fit a learner on made rows and ask it, with float32 too: what ``warm_up`` of most members does."""
    learner.set_params(hierarchy=made.hierarchy)
    (learner.fit_held_out if offers(learner, "held-out scores") else learner.fit)(X, made.Y)
    learner.predict(X)
    learner.predict_proba(X.astype(np.float32))


def leave_out_weightless(X: Any, Y: Any, weight: np.ndarray | None) -> tuple[Any, Any, np.ndarray | None]:
    """Return rows, labels and weights without the rows of weight zero; the same objects where there are none.

    Examples
    --------
    >>> X, Y, weight = leave_out_weightless(["one", "two"], np.eye(2), np.array([0.0, 3.0]))
    >>> X, Y.tolist(), weight.tolist()
    (['two'], [[0.0, 1.0]], [3.0])
    """
    if weight is None or weight.all():
        return X, Y, weight
    kept = np.flatnonzero(weight)
    return take_rows(X, kept), Y[kept], weight[kept]


def groups_to_learn(groups: Any, n_rows: int, weight: np.ndarray | None) -> NDArray[np.int64] | None:
    """Return the checked groups of the rows that :func:`leave_out_weightless` keeps; None without groups."""
    found = check_groups(groups, n_rows)
    return found if found is None or weight is None else found[weight != 0]


def score_weightless(
    learner: Any, held_out: NDArray[Any], X: Any, weight: NDArray[np.float64] | None, groups: Any = None
) -> NDArray[Any]:
    """Return held-out scores of all rows: those of weight zero were not learned from, so the learner scores them.

    With groups they have none (NaN): others of their group may have been learned from.
    """
    if weight is None or weight.all():
        return held_out
    S: NDArray[Any] = learner.predict_proba(X)
    if groups is not None:
        S = np.full_like(S, np.nan)
    S[np.flatnonzero(weight)] = held_out
    return S


def repeat_by_weight(X: Any, Y: Any, weight: np.ndarray | None) -> tuple[Any, Any]:
    """Return rows and labels, each as often as its weight says; anything but whole numbers is an error.

    Examples
    --------
    >>> repeat_by_weight(["one", "two"], np.array([1, 2]), np.array([0.0, 3.0]))
    (['two', 'two', 'two'], array([2, 2, 2]))
    """
    if weight is None:
        return X, Y
    is_broken = weight != np.floor(weight)
    if is_broken.any():
        row = int(np.flatnonzero(is_broken)[0])
        raise ValueError(
            f"sample_weight must be whole numbers (bit-set counts repeat rows); row {row} has {weight[row]}. "
            "Resample the rows by weight instead."
        )
    rows = np.repeat(np.arange(weight.size), weight.astype(np.int64))
    return take_rows(X, rows), take_rows(Y, rows)


def spawn_seeds(random_state: Any, n: int) -> list[int | None]:
    """Return one independent seed per problem; None leaves the estimators' own ``random_state`` alone."""
    if random_state is None:
        return [None] * n
    if not isinstance(random_state, (int, np.integer)):
        random_state = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    children = np.random.SeedSequence(int(random_state)).spawn(n)
    return [int(child.generate_state(1)[0] >> 1) for child in children]  # below 2**31, as estimators want


def weights_by(weights: Any, hierarchy: Hierarchy, by: str) -> Any:
    """Return weights of features, one column per label, as they are, or their mean absolute values by level."""
    if by == "label":
        return weights
    if by != "level":
        raise ValueError(f"by must be 'label' or 'level'; got {by!r}.")
    depth = hierarchy.depth
    share = 1.0 / np.bincount(depth - 1)[depth - 1]
    groups = sparse.csc_array((share, (np.arange(depth.size), depth - 1)))
    return abs(weights).astype(np.float64) @ groups
