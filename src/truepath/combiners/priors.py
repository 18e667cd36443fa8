r"""Other shares of labels than in training: scores re-weighed by them.

Let :math:`\pi` be the shares in training and :math:`\pi'` those at the place of use, both of rows; rows that have the
same label set look the same there, :math:`p'(x \mid y) = p(x \mid y)` (*label shift*).

* *Any number of paths.* Labels are independent of each other given their parents: :math:`\pi_{v|u} = \pi_v / \pi_u`. A
  label set then weighs :math:`\pi'_{v|u} / \pi_{v|u}` for each of its labels, and :math:`(1 - \pi'_{v|u}) / (1 -
  \pi_{v|u})` for each label that it lacks while it has the parent. With :math:`M_v` what is below v weighs on average,
  :math:`c'_v = c_v \alpha_v M_v / (c_v \alpha_v M_v + (1 - c_v) \beta_v)`, :math:`\alpha` and :math:`\beta` being these
  two ratios: for a label without children, the odds are multiplied by the ratio of the prior odds. It is the pass of
  :mod:`.conditioning`, exact on trees; on a DAG each label is taken given the one parent that scores least.
* *One path.* The end of the path weighs :math:`\pi'` over :math:`\pi` of ending there.

References
----------
M. Saerens, P. Latinne, C. Decaestecker (2002). Adjusting the outputs of a classifier to new a priori probabilities: a
simple procedure. Neural Computation 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.combiners.conditioning import SetWeights, change_rows, weigh_rows
from truepath.english import counted, did_you_mean
from truepath.errors import ConstraintError, TruePathError
from truepath.hierarchy import Hierarchy, check_scores
from truepath.hierarchy.checks import as_probabilities
from truepath.hierarchy.names import look_up
from truepath.hierarchy.propagation import find_incoherent
from truepath.parameters import ANY_SHARE, check_in

Floats = NDArray[np.float64]

#: Shares given the parents are held in [LEAST, 1 - LEAST]: of what is never, or always, no weight makes another thing
LEAST = 1e-6
#: A share may exceed its parent's by this much, as rounding does
TOLERANCE = 1e-6
PRIORS = "Give a number for each label, or a mapping from names to numbers."


class LabelShares:
    """Shares of labels at the place of use, the same for all rows or by group.

    Parameters
    ----------
    shares : ndarray of shape (n_nodes,), mapping of str to float, or mapping from keys to these
        The share of rows that have each label, no greater than its parents'. Of a label that a mapping does not name,
        the share among the rows with its parents stays as in training. With ``by``, a mapping from each key.
    by : str or array-like, shape (n_samples,), optional
        The key of each row: a column of X, or the keys themselves.
    """

    def __init__(self, shares: Any, *, by: Any = None):
        self.shares, self.by = shares, by

    @classmethod
    def of(cls, priors: Any) -> LabelShares:
        """Return what was given as ``priors=``."""
        return priors if isinstance(priors, cls) else cls(priors)

    def resolve(self, hierarchy: Hierarchy, trained: Floats) -> tuple[Floats, NDArray[np.int64] | None]:
        """Return the distinct shares, (n_groups, n_nodes), and the group of each row; None if there is one."""
        if self.by is None:
            return _complete(self.shares, hierarchy, trained)[None], None
        known: dict[Any, int] = {}
        of_row = [known.setdefault(key, len(known)) for key in np.asarray(self.by, object).tolist()]
        for key in known:
            if key not in self.shares:
                there = counted(len(self.shares), "other key")
                raise TruePathError(
                    f"priors has no shares for {key!r}, only for {there}.", did_you_mean(key, map(str, self.shares))
                )
        found = [_complete(self.shares[key], hierarchy, trained) for key in known]
        return np.array(found).reshape(len(known), hierarchy.n_nodes), np.array(of_row, np.int64)


def shift_scores(S: Any, hierarchy: Hierarchy, trained: ArrayLike, priors: Any, *, paths: str = "many") -> Any:
    """Return the probabilities of labels where labels have other shares than in training.

    Parameters
    ----------
    S : array-like or sparse matrix, shape (n_samples, n_nodes)
        Coherent probabilities, calibrated for the shares in training.
    hierarchy : Hierarchy
    trained : array-like, shape (n_nodes,)
        The shares of rows that had each label in training.
    priors : array-like, mapping or LabelShares
        The shares at the place of use, see :class:`LabelShares`.
    paths : {"many", "one"}, default="many"
        Whether rows have any number of paths, or one.

    Returns
    -------
    S : ndarray or csr_array, shape (n_samples, n_nodes)
        Coherent, of the form and float type of ``S``.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import shift_scores
    >>> h = Hierarchy.from_paths(["a/1", "b"])
    >>> shift_scores([[0.5, 0.25, 0.5]], h, [0.5, 0.25, 0.5], {"b": 0.8}).round(3).tolist()
    [[0.5, 0.25, 0.8]]
    """
    S = as_probabilities(check_scores(S, hierarchy), labels=hierarchy.names)
    before = _complete(np.asarray(trained), hierarchy, np.zeros(0))
    shares, of_row = LabelShares.of(priors).resolve(hierarchy, before)
    if of_row is not None and of_row.size != S.shape[0]:
        raise ValueError(f"priors has keys for {counted(of_row.size, 'row')}, but there are {S.shape[0]}.")
    of_row = np.zeros(S.shape[0], np.int64) if of_row is None else of_row
    weights = weigh_sets(before, shares, hierarchy, paths)
    return shift_by(S, hierarchy, weights, of_row, paths)


def shift_by(S: Any, hierarchy: Hierarchy, weights: SetWeights, of_row: NDArray[np.int64], paths: str) -> Any:
    """Return checked scores re-weighed, each row in one of some ways."""
    return change_rows(lambda block, rows: weigh_rows(block, hierarchy, weights, of_row[rows], paths), S)


def weigh_sets(trained: Floats, shares: Floats, hierarchy: Hierarchy, paths: str) -> SetWeights:
    """Return what label sets weigh at some places against what they weighed in training."""
    if paths == "one":
        before, after = _ends(trained[None], hierarchy), _ends(shares, hierarchy)
        none = [np.maximum(1 - ends.sum(axis=1), 0.0) for ends in (before, after)]
        return SetWeights(_ratio(after, before), np.ones(shares.shape), _ratio(none[1], none[0]))
    before, after = _given_parents(trained[None], hierarchy), _given_parents(shares, hierarchy)
    after = np.where((before > LEAST) & (before < 1 - LEAST), after, before)  # nothing is known of never and always
    return SetWeights(after / before, (1 - after) / (1 - before), np.ones(len(shares)))


def _ratio(after: Floats, before: Floats) -> Floats:
    """Return what ends weigh; of what never was, nothing is known, and it weighs as much as before."""
    return np.where(before > LEAST, after / np.maximum(before, LEAST), 1.0)


def _main_parents(shares: Floats, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the parent of each label that has the least share; -1 at the top."""
    least = [
        hierarchy.parents(v)[shares[hierarchy.parents(v)].argmin()] if hierarchy.parents(v).size else -1
        for v in range(hierarchy.n_nodes)
    ]
    return np.array(least, np.int64)


def _given_parents(shares: Floats, hierarchy: Hierarchy) -> Floats:
    """Return the share of each label among the rows with its parents, which is that with the least of them."""
    found = np.empty(shares.shape)
    for row, own in zip(found, shares):
        main = _main_parents(own, hierarchy)
        above = np.where(main < 0, 1.0, own[main])
        np.divide(own, above, out=row, where=above > 0)
        row[above <= 0] = 0.0
    return np.clip(found, LEAST, 1 - LEAST)


def _ends(shares: Floats, hierarchy: Hierarchy) -> Floats:
    """Return the share of rows whose path ends at each label: its share less the ends below it."""
    ends = np.array(shares)
    for v in range(hierarchy.n_nodes - 1, -1, -1):
        ends[:, v] = np.maximum(0.0, shares[:, v] - ends[:, hierarchy.descendants(v)].sum(axis=1))
    return ends


def _complete(given: Any, hierarchy: Hierarchy, trained: Floats) -> Floats:
    """Return a share for each label; refuse what cannot be shares."""
    if isinstance(given, Mapping):
        given = _follow_parents(
            {look_up(hierarchy, name): _share(name, p) for name, p in given.items()}, hierarchy, trained
        )
    shares = np.asarray(given, np.float64) if np.asarray(given).dtype.kind in "iuf" else np.zeros((0, 0))
    if shares.shape != (hierarchy.n_nodes,):
        raise ValueError(f"priors must hold one number for each of the {hierarchy.n_nodes} labels. {PRIORS}")
    if not ((shares >= 0) & (shares <= 1)).all():
        v = int(np.flatnonzero(~((shares >= 0) & (shares <= 1)))[0])
        raise ValueError(f"priors must be shares from 0 to 1; got {shares[v]:g} for {str(hierarchy.names[v])!r}.")
    broken = find_incoherent(shares[None], hierarchy, TOLERANCE)
    if broken is not None:
        child, parent = (f"{str(hierarchy.names[v])!r} ({shares[v]:.4g})" for v in (broken.child, broken.parent))
        raise ConstraintError(
            f"priors: the share of {child} is greater than that of its parent {parent}.", "Give that of the parent too."
        )
    return shares


def _share(name: str, value: Any) -> float:
    check_in(f"priors: the share of {name!r}", value, ANY_SHARE)
    return float(value)


def _follow_parents(given: Mapping[int, float], hierarchy: Hierarchy, trained: Floats) -> Floats:
    """Return all shares: those given, and what follows for the others from the shares among rows with their parents."""
    main = _main_parents(trained, hierarchy)
    shares = np.empty(hierarchy.n_nodes)
    for v in range(hierarchy.n_nodes):
        u = main[v]
        own = trained[v] if u < 0 else shares[u] * (trained[v] / trained[u] if trained[u] > 0 else 0.0)
        parents = hierarchy.parents(v)
        shares[v] = given.get(v, min(own, shares[parents].min()) if parents.size else own)
    return shares
