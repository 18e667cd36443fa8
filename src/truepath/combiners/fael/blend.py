r"""FAELBlend: FAEL on top of a blend of strong learners, and blended in itself.

Zhang, Shah & Kakadiaris learn the final score of every node from the local scores of all nodes. Here the local scores
are those of a blend B of several learners, chosen greedily on held-out rows (:class:`GreedyBlend`)::

    linear FAEL    f(b) = b (B'B + alpha I)^-1 B'Y                      eq. (2)
    kernel FAEL    f(b) = k(b, B) (K(B, B) + alpha I)^-1 Y,  RBF        eq. (5)

Both choose width and penalty by the AU(PRC) of rows left out, a fifth at a time, and these scores stand beside the
learners' own in a second greedy blend, which is the result. The learners' scores should come from folds too: from
leave-one-out scores a row's labels are missing in its own scores alone, and FAEL would learn that. FAEL alone can lose
against what it stands on where labels are few, and still help there as one voice among others.

References
----------
L. Zhang, S. K. Shah, I. A. Kakadiaris. Fully associative ensemble learning for hierarchical multi-label
classification. BMVC 2014.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from truepath.combiners.base import Combiner
from truepath.combiners.greedy_blend import GreedyBlend
from truepath.combiners.held_out import N_FOLDS
from truepath.combiners.projections import Projection, check_projection, project_scores
from truepath.combiners.sources import check_sources, list_sources
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import check_truth, hierarchy_for, weight_or_ones
from truepath.ridge import KernelRegression

__all__ = ["FAELBlend"]

# By kernel: widths in units of the median distance, penalties in units of the mean of b'b
GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    "linear": {"gammas": (1.0,), "alphas": (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)},
    "rbf": {"gammas": (0.25, 0.5, 1.0, 2.0, 4.0), "alphas": (0.1, 0.3, 1.0, 3.0, 10.0)},
}


class FAELBlend(Combiner):
    """Blend several learners, learn all nodes' scores from the blend's, and blend the result in.

    Parameters
    ----------
    groups : {"global", "level", "auto"} or array-like of int, default="global"
        Which nodes share blending weights, see :class:`GreedyBlend`.
    hierarchy : Hierarchy, optional
    max_rows, n_landmarks : int, default=8000 and 3000
        Beyond so many rows the kernel is approximated, on so many drawn at random.
    project : str, combiner or None, default="max-up"
        The correction that makes scores coherent.
    keep_held_out : bool, default=False
        Whether to keep ``held_out_``.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    blend_ : GreedyBlend
        Of the sources alone; what FAEL stands on.
    linear_, kernel_ : KernelRegression
        Linear and kernel FAEL, with what they tried.
    final_ : GreedyBlend
        Of the sources, linear FAEL and kernel FAEL, in this order.
    weights_ : ndarray
        Those of ``final_``.
    seconds_ : dict of str to float
        How long ``"linear"`` and ``"kernel"`` FAEL took.
    constant_ : ndarray, shape (n_nodes,)
        What FAEL scores labels that no row or every row has; NaN for the others.
    held_out_ : ndarray, shape (n_samples, n_nodes)
        The final scores of the training rows, FAEL's part of each by the other rows alone. Only with
        ``keep_held_out=True``.

    Notes
    -----
    ``S`` is a list of score matrices. Time O(n^3 + n^2 n_nodes) for each width of the kernel tried.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import FAELBlend
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a"]] * 5)
    >>> rng = np.random.default_rng(0)
    >>> S = [np.clip(Y + rng.normal(0, 0.4, Y.shape), 0, 1) for _ in range(2)]
    >>> model = FAELBlend(hierarchy=h).fit(S, Y)
    >>> model.weights_.shape, h.is_coherent(model.transform(S))
    ((1, 4), True)
    """

    name = "fael-blend"
    summary = "a blend of several learners, with linear and kernel FAEL learned from it and blended in"
    learns_from = "held-out scores and labels"
    needs = ("several learners' scores",)
    accepts_many = True

    def __init__(
        self,
        groups: Any = "global",
        *,
        hierarchy: Hierarchy | None = None,
        max_rows: int = 8000,
        n_landmarks: int = 3000,
        project: Projection = "max-up",
        keep_held_out: bool = False,
        random_state: Any = 0,
    ):
        self.groups = groups
        self.hierarchy = hierarchy
        self.max_rows = max_rows
        self.n_landmarks = n_landmarks
        self.project = project
        self.keep_held_out = keep_held_out
        self.random_state = random_state

    def fit(self, S: Any, y: Any, sample_weight: Any = None) -> FAELBlend:
        """Fit the blend, both forms of FAEL on it, and the final blend.

        Parameters
        ----------
        S : list of array-like or sparse matrices, each of shape (n_samples, n_nodes)
            Scores of rows the learners did not train on.
        y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        sample_weight : array-like, shape (n_samples,), optional
        """
        check_projection(self.project)
        self.hierarchy_ = hierarchy_for(self.hierarchy, list_sources(S)[0])
        parts = check_sources(S, self.hierarchy_)
        Y = check_truth(y, parts[0], self.hierarchy_)
        weight = weight_or_ones(sample_weight, Y.shape[0])
        self.n_features_in_, self.n_sources_ = self.hierarchy_.n_nodes, len(parts)
        self.blend_ = self._make_blend().fit(parts, Y, weight)
        B, used = self.blend_.transform(parts), np.flatnonzero(weight)
        share = np.asarray(Y[used].mean(axis=0)).ravel()
        self.constant_ = np.where(share == 1, 1.0, np.where(share == 0, 0.0, np.nan))
        voices = []
        self.seconds_: dict[str, float] = {}
        for kernel in GRIDS:
            start, kind = perf_counter(), "linear" if kernel == "linear" else "kernel"
            voice = self._fit_voice(kernel, B[used], Y[used], weight[used])
            setattr(self, f"{kind}_", voice)
            self.seconds_[kind] = perf_counter() - start
            held_out = voice.__dict__.pop("held_out_")
            if used.size < len(B):
                held_out, held_out[used] = self._to_scores(voice.predict(B)), held_out
            voices.append(held_out)
        self.final_ = self._make_blend().fit([*parts, *voices], Y, weight)
        self.weights_ = self.final_.weights_
        if self.keep_held_out:
            self.held_out_ = self.final_.transform([*parts, *voices])
        return self

    def _make_blend(self) -> GreedyBlend:
        return GreedyBlend(self.groups, hierarchy=self.hierarchy_, project=self.project, random_state=self.random_state)

    def _fit_voice(self, kernel: str, B: np.ndarray, Y: Any, weight: np.ndarray) -> KernelRegression:
        regression = KernelRegression(
            kernel,
            GRIDS[kernel]["gammas"],
            GRIDS[kernel]["alphas"],
            max_rows=self.max_rows,
            n_landmarks=self.n_landmarks,
            n_folds=N_FOLDS,
        )
        return regression.fit(B, Y, weight, self._to_scores, held_out=True, random_state=self.random_state)

    def _to_scores(self, values: np.ndarray) -> np.ndarray:
        np.clip(values, 0.0, 1.0, out=values)
        is_constant = np.isfinite(self.constant_)
        values[:, is_constant] = self.constant_[is_constant]
        return project_scores(values, self.hierarchy_, self.project)

    def transform(self, S: Any) -> np.ndarray:
        """Return the final scores, dense, in the float type of the scores.

        Parameters
        ----------
        S : list of array-like or sparse matrices, as many as in ``fit``
        """
        check_is_fitted(self, "final_")
        parts = check_sources(S, self.hierarchy_)
        if len(parts) != self.n_sources_:
            raise ValueError(f"S has {len(parts)} score matrices but fit was given {self.n_sources_}.")
        B = self.blend_.transform(parts)
        heard = [bool(weights.any()) for weights in self.weights_[:, self.n_sources_ :].T]  # the others need no work
        voices = [
            self._to_scores(voice.predict(B)) if counts else B
            for voice, counts in zip((self.linear_, self.kernel_), heard)
        ]
        dtype = np.result_type(*(part.dtype for part in parts))
        return self.final_.transform([*parts, *voices]).astype(dtype, copy=False)
