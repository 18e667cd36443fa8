"""Groups of rows that belong together: one patient, one document cut into pieces, one product seen twice.

Rows of one group are alike for a reason that new rows do not share. If some of them are learned from and others held
out, the held-out ones look easier than new rows will be. So whoever holds out rows holds out whole groups: everything
that deals rows into parts and folds (:mod:`truepath.resampling.folds`) takes ``groups``, and deals these instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numpy.random import RandomState

Rows = NDArray[np.int64]


def count_groups(groups: Rows) -> int:
    """Return how many groups there are; refuse a single one, of which nothing can be held out.

    Examples
    --------
    >>> count_groups(np.array([4, 7, 4]))
    2
    """
    n_groups = int(np.unique(groups).size)
    if n_groups < 2:
        raise ValueError(
            f"groups: all {groups.size} rows to divide belong to one group, so none can be held out. Give rows of at "
            "least two groups, or leave groups out."
        )
    return n_groups


def deal_groups(groups: Rows, fractions: Any, rarest: Rows, generator: RandomState) -> Rows:
    """Return the part of each row; rows of one group are in one part, and no part is empty.

    Parameters
    ----------
    groups : ndarray of int
        At least as many as there are parts.
    fractions : sequence of float
        The share of each part.
    rarest : ndarray of int
        A number for the rarest label of each row, smaller ones for rarer labels.
    generator : RandomState

    Notes
    -----
    Groups are taken in the order of the rarest label that one of their rows has, large ones first. Each goes to the
    part that lacks most rows of this kind among those with room for it, or else to the one with most room.
    """
    of_row = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(of_row)
    kind = np.full(sizes.size, np.iinfo(np.int64).max)
    np.minimum.at(kind, of_row, rarest)
    order = np.lexsort((generator.permutation(sizes.size), -sizes, kind))
    n_parts, room = len(fractions), [float(share) * groups.size for share in fractions]
    lacks = {k: [float(share) * n for share in fractions] for k, n in zip(*_sums(kind, sizes))}
    part_of, is_empty = np.empty(sizes.size, np.int64), [True] * n_parts
    for place, (g, size, its_kind) in enumerate(zip(order.tolist(), sizes[order].tolist(), kind[order].tolist())):
        lack = lacks[its_kind]
        must_fill = sizes.size - place <= sum(is_empty)
        open_parts = [k for k in range(n_parts) if is_empty[k] or not must_fill]
        fitting = [k for k in open_parts if room[k] >= size]
        best = max(fitting or open_parts, key=lambda k: (lack[k] if fitting else 0.0, room[k]))
        part_of[g], is_empty[best] = best, False
        room[best] -= size
        lack[best] -= size
    return part_of[of_row]


def _sums(kind: Rows, sizes: Rows) -> tuple[list[int], list[int]]:
    """Return the kinds, and the sum of the sizes of each."""
    kinds, place = np.unique(kind, return_inverse=True)
    return kinds.tolist(), np.bincount(place, weights=sizes).astype(np.int64).tolist()
