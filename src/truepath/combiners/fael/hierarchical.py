r"""HierarchicalFAEL: FAEL whose weights of ancestors and descendants are tied to one another.

The binary constraint model: for every pair of ancestor p and descendant q, and every node k,
w_pk = m_pq w_qk should nearly hold, eq. (6)::

    min_W ||Y - X W||^2 + lambda_1 ||W||^2 + lambda_2 ||M W||^2         eq. (10)
    W = (X'X + lambda_1 I + lambda_2 M'M)^-1 X'Y                         eq. (11)

lambda_1 is ``alpha``, lambda_2 ``beta``. M is sparse and so is the penalty R = I + (beta / alpha) M'M. With fewer rows
than nodes W = T (X T + alpha I)^-1 Y, T = R^-1 X': one sparse factorisation of R and a dense one as wide as the rows.

References
----------
L. Zhang, S. K. Shah, I. A. Kakadiaris. Fully associative ensemble learning for hierarchical multi-label
classification. BMVC 2014.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from truepath.combiners.fael.constraints import AncestorPairs, constraint_gram, constraint_pairs
from truepath.combiners.fael.linear import FAEL
from truepath.combiners.fael.weights import solve_dual, solve_primal
from truepath.combiners.projections import Projection
from truepath.combiners.sources import Rows, System, make_system
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.ridge import spectrum as ridge

RATIOS = (0.01, 0.1, 1.0)
MUS = (0.5, 1.0)

# Beyond this many weights the factors of the penalty fill up (at 45,000 nodes they do not fit in memory)
MOST_FACTORISED = 8_000

# Then R x = b is solved until the residual is this share of b
SOLVED = 1e-12


class HierarchicalFAEL(FAEL):
    """Combine local scores by ridge regression with tied weights along the hierarchy (the binary constraint model).

    Parameters
    ----------
    alpha : float or {"loo", "gcv"}, default=1.0
        The ridge penalty lambda_1; or the criterion by which (alpha, beta, mu) are chosen.
    beta : float, default=1.0
        The constraint penalty lambda_2. Not used when ``alpha`` names a criterion.
    mu : float, default=1.0
        m_pq is mu times the distance of the pair. Not used when ``alpha`` names a criterion.
    hierarchy : Hierarchy, optional
    alphas, ratios, mus : sequence of float, optional
        The candidates for alpha (1e-3 to 1e5), beta / alpha (0.01, 0.1, 1) and mu (0.5, 1).
    fit_intercept, project
        As in :class:`FAEL`.

    Attributes
    ----------
    alpha_, beta_, mu_ : float
    errors_ : ndarray, shape (n_mus, n_ratios, n_alphas)
        The criterion, when the parameters are chosen.
    weights_, intercept_
        As in :class:`FAEL`.

    Notes
    -----
    X'X, I and M'M do not commute, so no single eigendecomposition serves all three penalties. One does for each pair
    (beta / alpha, mu), and gives the whole path of alpha in closed form; candidates for beta are therefore ratios.

    On a DAG e_pq is counted on the shortest path. m_pq > 1 asks ancestors to weigh *more* than descendants; the paper
    leaves mu to the user. Several learners' scores are constrained each within itself.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import HierarchicalFAEL
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a"]])
    >>> S = [[0.8, 0.3, 0.2, 0.1, 0.1], [0.7, 0.1, 0.6, 0.3, 0.1], [0.1, 0.0, 0.1, 0.9, 0.6], [0.6, 0.2, 0.2, 0.2, 0.0]]
    >>> HierarchicalFAEL(0.1, 0.1, hierarchy=h).fit(S, Y).transform(S).round(2)[0].tolist()
    [0.99, 0.48, 0.21, 0.0, 0.0]
    """

    name = "hierarchical-fael"
    summary = "ridge regression with weights tied along the hierarchy"

    def __init__(
        self,
        alpha: float | str = 1.0,
        beta: float = 1.0,
        mu: float = 1.0,
        *,
        hierarchy: Hierarchy | None = None,
        alphas: Any = None,
        ratios: Any = None,
        mus: Any = None,
        fit_intercept: bool = False,
        project: Projection = "isotonic",
    ):
        super().__init__(alpha, alphas=alphas, fit_intercept=fit_intercept, project=project, hierarchy=hierarchy)
        self.beta = beta
        self.mu = mu
        self.ratios = ratios
        self.mus = mus

    def _solve(self, rows: Rows) -> None:
        """Choose the parameters if asked, then eq. (11)."""
        system = make_system(rows, self.fit_intercept)
        penalty = partial(_penalty, rows, constraint_pairs(rows.hierarchy))
        if isinstance(self.alpha, str):
            self.alpha_, self.beta_, self.mu_ = self._choose(system, penalty, rows.groups)
        else:
            self.alpha_, self.mu_ = ridge.check_penalty(self.alpha, "alpha"), ridge.check_penalty(self.mu, "mu")
            self.beta_ = 0.0 if self.beta == 0 else ridge.check_penalty(self.beta, "beta")
        R = penalty(self.beta_ / self.alpha_, self.mu_)
        if system.is_wide:
            self.weights_ = solve_dual(system.Z, _divide(R, system.Z), system.Yw, self.alpha_)
        else:
            self.weights_ = solve_primal(system.Z, system.Yw, self.alpha_ * R)
        self._set_intercept(rows)

    def _choose(
        self, system: System, penalty: Callable[[float, float], Any], groups: np.ndarray | None
    ) -> tuple[float, float, float]:
        """Search (mu, beta / alpha) with one eigendecomposition each, alpha in closed form."""
        alphas = ridge.check_candidates(self.alpha, self.alphas)
        ratios = [float(ratio) for ratio in (RATIOS if self.ratios is None else self.ratios)]
        mus = [ridge.check_penalty(mu, "mu") for mu in (MUS if self.mus is None else self.mus)]
        self.errors_ = np.empty((len(mus), len(ratios), alphas.size))
        for i, mu in enumerate(mus):
            for j, ratio in enumerate(ratios):
                spectrum = _spectrum(system, penalty(ratio, mu))
                known = (system.Yw, alphas, str(self.alpha), system.root, groups)
                _, self.errors_[i, j] = ridge.choose_alpha(spectrum, *known)
        at_mu, at_ratio, at_alpha = np.unravel_index(np.argmin(self.errors_), self.errors_.shape)
        alpha = float(alphas[at_alpha])
        return alpha, ratios[at_ratio] * alpha, mus[at_mu]


def _penalty(rows: Rows, pairs: AncestorPairs, ratio: float, mu: float) -> sparse.csc_array:
    """Return R = I + (beta / alpha) M'M, once for each source."""
    n_nodes = rows.hierarchy.n_nodes
    R = sparse.eye_array(n_nodes) + ratio * constraint_gram(pairs, mu, n_nodes)
    return sparse.block_diag([R] * rows.n_sources, format="csc")


def _divide(R: sparse.csc_array, Z: Any) -> np.ndarray:
    """Return R^-1 Z': by a sparse factorisation (R is symmetric, positive definite: no pivoting), or step by step."""
    columns = np.ascontiguousarray(as_dense(Z).T)
    if R.shape[0] > MOST_FACTORISED:
        return _approach(R.tocsr(), columns)
    solver = splu(R, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return solver.solve(columns)


def _approach(R: sparse.csr_array, B: np.ndarray) -> np.ndarray:
    """Return R^-1 B by conjugate gradients, scaled by the diagonal, all columns side by side."""
    scale = 1 / R.diagonal()[:, None]
    X = scale * B
    residual = B - R @ X
    step = scale * residual
    size = (residual * step).sum(axis=0)
    goal = SOLVED * np.linalg.norm(B, axis=0)
    for _ in range(R.shape[0]):
        is_open = np.linalg.norm(residual, axis=0) > goal
        if not is_open.any():
            break
        change = R @ step
        length = np.divide(size, (step * change).sum(axis=0), out=np.zeros_like(size), where=is_open)
        X += length * step
        residual -= length * change
        scaled = scale * residual
        before, size = size, (residual * scaled).sum(axis=0)
        step = scaled + np.divide(size, before, out=np.zeros_like(size), where=is_open) * step
    return X


def _spectrum(system: System, R: sparse.csc_array) -> ridge.Spectrum:
    """Decompose Z R^-1 Z' on its smaller side."""
    if system.is_wide:
        K = np.asarray(system.Z @ _divide(R, system.Z))
        return ridge.kernel_spectrum((K + K.T) / 2)
    return ridge.gram_spectrum(system.Z, R)
