r"""Ridge regression with many outputs: factor once, keep the labels sparse, and follow the whole path of alpha.

Rows come centred and scaled by the roots of their weights: ``Z`` (n_samples, n_columns), ``Yw`` (n_samples, n_nodes).
With a penalty R (the identity unless given)::

    W = (Z'Z + alpha R)^-1 Z'Yw  =  T (Z T + alpha I)^-1 Yw,    T = R^-1 Z'

The left form factors a matrix as wide as the columns, the right one as wide as the rows; the smaller is taken. One
eigendecomposition Z T = Q Lambda Q' gives the fit for every alpha: H(alpha) = Q Lambda / (Lambda + alpha) Q', and with
it the leave-one-out residuals r_i / (1 - h_ii) and the generalised cross-validation score, without refitting.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from truepath.hierarchy.matrices import as_dense
from truepath.resampling import deal_rows, split_folds

# Eigenvalues below this share of the greatest are rounding, by the float type
RANK_TOLERANCE = {"d": 1e-12, "f": 1e-6}
# Penalties are safe from this many times the rounding of a matrix on: values are off by .1 / SAFETY at most, by trials
SAFETY = 256
# Labels are handled this many at a time, so that residuals never need a second dense label matrix
LABEL_BLOCK = 1024
# Rows that are mirrored at a time
STRIP = 256
CRITERIA = ("loo", "gcv")
# Groups of rows are left out one by one up to this many, and beyond in as many parts
FOLDS_OF_GROUPS = 10
# The candidates for alpha, unless given
ALPHAS = tuple(10.0**k for k in range(-3, 6))


class Spectrum(NamedTuple):
    """The eigenvectors (n_samples, rank) and eigenvalues of the rows' Gram matrix."""

    vectors: np.ndarray
    values: np.ndarray


def gram(Z: Any) -> np.ndarray:
    """Return Z'Z; BLAS sees one array twice and does half the work."""
    return as_dense(Z.T @ Z)


def factor(A: np.ndarray, penalty: Any) -> tuple[np.ndarray, bool]:
    """Add the penalty, a number (times I) or a sparse matrix, to A in place, and factor the sum by Cholesky.

    Where rounding leaves the sum not positive definite, as much is added to its diagonal as rounding asks for: a
    penalty so small cannot be told from none.
    """
    if sparse.issparse(penalty):
        A += penalty.toarray()
    else:
        A.flat[:: A.shape[0] + 1] += penalty
    diagonal, more = A.diagonal().copy(), 0.0
    while True:
        try:
            # symmetric, in the order of LAPACK
            found, is_lower = linalg.cho_factor(A.T, overwrite_a=True, check_finite=False)
            return found, bool(is_lower)  # SciPy 1.18 returns an array
        except linalg.LinAlgError:
            _mirror(A)  # the other half, and the diagonal, were overwritten
            A.flat[:: A.shape[0] + 1] = diagonal
            more = max(10 * more, least_penalty(A))
            if not np.isfinite(more):
                raise ValueError("products of rows overflow; scale the columns of X, or the scores.") from None
            A.flat[:: A.shape[0] + 1] += A.dtype.type(more)


def least_penalty(A: np.ndarray) -> float:
    """Return the least penalty with which a symmetric matrix is solved well in its own float type."""
    (lange,) = linalg.get_lapack_funcs(("lange",), (A,))
    return float(SAFETY * np.finfo(A.dtype).eps * lange("1", A.T))  # no eigenvalue is greater than this norm


def inverse(A: np.ndarray, penalty: float) -> np.ndarray:
    """Return (A + penalty I)^-1 of a symmetric matrix; A is overwritten."""
    factor_, is_lower = factor(A, penalty)
    (potri,) = linalg.get_lapack_funcs(("potri",), (factor_,))
    G, _ = potri(factor_, lower=is_lower, overwrite_c=True)
    return _mirror(G.T if is_lower else G).T  # symmetric; its rows lie in one piece


def _mirror(G: np.ndarray) -> np.ndarray:
    """Copy the upper triangle to the lower one, in place, a strip of rows at a time."""
    for start in range(0, len(G), STRIP):
        strip = G[start : start + STRIP]
        corner = strip[:, start : start + STRIP]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        G[start + STRIP :, start : start + STRIP] = strip[:, start + STRIP :].T
    return G


def kernel_spectrum(K: np.ndarray) -> Spectrum:
    """Decompose a Gram matrix of rows."""
    values, vectors = linalg.eigh(K, check_finite=False, driver="evd")
    kept = _is_real(values)
    return Spectrum(vectors[:, kept], values[kept])


def gram_spectrum(Z: Any, penalty: Any = None) -> Spectrum:
    """Decompose through the columns: Z'Z v = lambda R v."""
    R = None if penalty is None else as_dense(penalty)
    values, vectors = linalg.eigh(gram(Z), R, check_finite=False)
    kept = _is_real(values)
    return Spectrum(as_dense(Z @ vectors[:, kept]) / np.sqrt(values[kept]), values[kept])


def _is_real(values: np.ndarray) -> np.ndarray:
    """Say which eigenvalues, ascending, are more than rounding."""
    return np.asarray(values > RANK_TOLERANCE[values.dtype.char] * max(values[-1], 0.0))


def values_of_folds(
    Yw: Any, residual: np.ndarray, folds: list[np.ndarray], block: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return y_F - B_F^-1 r_F for every fold F, ``block`` giving the symmetric B_F; the residuals are overwritten."""
    for rows in folds:
        solved = linalg.cho_solve(factor(block(rows), 0.0), residual[rows], check_finite=False)
        residual[rows] = as_dense(Yw[rows]) - solved
    return residual


def choose_alpha(
    spectrum: Spectrum,
    Yw: Any,
    alphas: np.ndarray,
    criterion: str,
    root: np.ndarray | None,
    groups: np.ndarray | None = None,
) -> tuple[int, np.ndarray]:
    """Return the position of the best alpha and the errors of all.

    ``root`` holds the roots of the weights when an intercept is fitted (one more column, not penalised), else None.
    With ``groups``, the number of each row's group, the errors are those of groups left out, by either criterion.
    """
    if root is not None:  # the intercept is one more eigenvector that no alpha shrinks
        spectrum = Spectrum(
            np.column_stack([spectrum.vectors, root / np.linalg.norm(root)]), np.r_[spectrum.values, np.inf]
        )
    shrink = np.array([np.where(np.isinf(spectrum.values), 1.0, _share(spectrum.values, alpha)) for alpha in alphas])
    if groups is not None:
        folds = [rows for _, rows in split_folds(deal_rows(groups.size, FOLDS_OF_GROUPS, groups=groups))]
        errors = np.array([_fold_error(spectrum.vectors, share, Yw, folds) for share in shrink])
    else:
        errors = (_loo if criterion == "loo" else _gcv)(spectrum.vectors, shrink, Yw)
    return int(np.argmin(errors)), errors


def _share(values: np.ndarray, alpha: float) -> np.ndarray:
    """Return lambda / (lambda + alpha), 1 for infinite lambda."""
    with np.errstate(invalid="ignore"):
        return values / (values + alpha)


def _fold_error(Q: np.ndarray, share: np.ndarray, Yw: Any, folds: list[np.ndarray]) -> float:
    """Return the sum of squared residuals of rows by the other folds; infinite where these leave the fit open."""

    def block(rows: np.ndarray) -> np.ndarray:
        return np.eye(rows.size) - (Q[rows] * share) @ Q[rows].T

    if any(np.linalg.eigvalsh(block(rows))[0] <= rows.size * np.finfo(Q.dtype).eps for rows in folds):
        return np.inf
    residual = as_dense(Yw) - Q @ (share[:, None] * as_dense(Q.T @ Yw))
    return float(np.sum((as_dense(Yw) - values_of_folds(Yw, residual, folds, block)) ** 2))


def _loo(Q: np.ndarray, shrink: np.ndarray, Yw: Any) -> np.ndarray:
    """Return the sum of squared leave-one-out residuals for each row of ``shrink``."""
    leverage = shrink @ (Q * Q).T  # h_ii(alpha)
    squares = np.zeros_like(leverage)
    for start in range(0, Yw.shape[1], LABEL_BLOCK):
        block = Yw[:, start : start + LABEL_BLOCK]
        target, along = as_dense(block), as_dense(Q.T @ block)
        for k, share in enumerate(shrink):
            residual = target - Q @ (share[:, None] * along)
            squares[k] += np.einsum("ij,ij->i", residual, residual)
    with np.errstate(divide="ignore"):  # a row that alone decides its fit cannot be left out: infinite error
        return np.divide(squares, (1 - leverage) ** 2, out=np.zeros_like(squares), where=squares > 0).sum(axis=1)


def _gcv(Q: np.ndarray, shrink: np.ndarray, Yw: Any) -> np.ndarray:
    """Return n ||(I - H) Y||^2 / (n - tr H)^2 for each row of ``shrink``; one pass over the labels for all."""
    along = np.zeros(Q.shape[1])
    for start in range(0, Yw.shape[1], LABEL_BLOCK):
        along += np.sum(as_dense(Q.T @ Yw[:, start : start + LABEL_BLOCK]) ** 2, axis=1)
    total = np.sum((Yw.data if sparse.issparse(Yw) else Yw) ** 2)
    n_samples = Q.shape[0]
    residual = total - (2 * shrink - shrink**2) @ along
    with np.errstate(divide="ignore", invalid="ignore"):  # as many parameters as rows: the error is not defined
        errors = n_samples * np.maximum(residual, 0.0) / (n_samples - shrink.sum(axis=1)) ** 2
    return np.where(np.isnan(errors), np.inf, errors)


def check_penalty(value: Any, name: str) -> float:
    """Return a positive number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name} must be a positive number (or 'loo' or 'gcv' for alpha); got {value!r}.")
    return float(value)


def check_candidates(criterion: Any, alphas: Any) -> np.ndarray:
    """Return the alphas to choose from, ascending."""
    if criterion not in CRITERIA:
        raise ValueError(f"alpha must be a positive number, 'loo' or 'gcv'; got {criterion!r}.")
    candidates = np.sort(np.asarray(ALPHAS if alphas is None else alphas, np.float64).ravel())
    if not candidates.size or not (candidates > 0).all() or not np.isfinite(candidates).all():
        raise ValueError(f"alphas must be positive numbers; got {alphas!r}.")
    return candidates
