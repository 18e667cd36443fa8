"""Loops over the cells where truth and prediction differ, seen down the hierarchy."""

from __future__ import annotations

from typing import Any

from numpy import empty, zeros
from numpy.typing import NDArray

from truepath._kernels.jit import kernel

Array = NDArray[Any]


@kernel
def walk_row(
    wrong: Array, clean: Array, counted: Array, costs: Array, parent_ptr: Array, parent_idx: Array
) -> tuple[float, int]:
    """Return the cost of the mistakes with no mistake above, and the number of counted nodes at or below one.

    ``clean[v]`` is scratch: v and all its ancestors are right.
    """
    charged, tainted = 0.0, 0
    for v in range(wrong.size):  # parents come before children
        above = True
        for k in range(parent_ptr[v], parent_ptr[v + 1]):
            if not clean[parent_idx[k]]:
                above = False
                break
        if wrong[v] and above:
            charged += costs[v]
        clean[v] = above and not wrong[v]
        if counted[v] and not clean[v]:
            tainted += 1
    return charged, tainted


@kernel
def walk_mistakes(
    T: Array,
    P: Array,
    counted: Array,
    costs: Array,
    parent_ptr: Array,
    parent_idx: Array,
    charged: Array,
    tainted: Array,
) -> None:
    """Fill ``charged[i]`` and ``tainted[i]`` of :func:`walk_row` for dense rows. O(n_samples * (nodes + edges))."""
    n_nodes = T.shape[1]
    wrong, clean = zeros(n_nodes, T.dtype), empty(n_nodes, T.dtype)
    for i in range(T.shape[0]):
        n_wrong = 0
        for v in range(n_nodes):
            wrong[v] = counted[v] & (T[i, v] ^ P[i, v])
            n_wrong += wrong[v]
        if n_wrong:
            charged[i], tainted[i] = walk_row(wrong, clean, counted, costs, parent_ptr, parent_idx)


@kernel
def walk_sparse_mistakes(
    T_ptr: Array,
    T_idx: Array,
    P_ptr: Array,
    P_idx: Array,
    counted: Array,
    costs: Array,
    parent_ptr: Array,
    parent_idx: Array,
    charged: Array,
    tainted: Array,
) -> None:
    """Do the same for the rows of two CSR matrices without repeated entries; scratch is O(n_nodes)."""
    n_nodes = counted.size
    wrong, clean = zeros(n_nodes, counted.dtype), empty(n_nodes, counted.dtype)
    for i in range(T_ptr.size - 1):
        for k in range(T_ptr[i], T_ptr[i + 1]):
            wrong[T_idx[k]] ^= counted[T_idx[k]]
        for k in range(P_ptr[i], P_ptr[i + 1]):
            wrong[P_idx[k]] ^= counted[P_idx[k]]
        if wrong.any():
            charged[i], tainted[i] = walk_row(wrong, clean, counted, costs, parent_ptr, parent_idx)
            wrong[:] = False
