"""Raising scores so that no class scores more than its parents."""

from __future__ import annotations

from typing import Any

from numpy import zeros
from numpy.typing import NDArray

from truepath._kernels.jit import kernel

__all__ = ["raise_dense", "raise_rows"]

Array = NDArray[Any]


@kernel
def raise_dense(S: Array, parent_ptr: Array, parent_idx: Array) -> None:
    """In place: S[i, u] <- max of S over u and its descendants. O(n_samples * n_edges)."""
    for i in range(S.shape[0]):
        for v in range(S.shape[1] - 1, -1, -1):  # children before parents
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                S[i, parent_idx[k]] = max(S[i, parent_idx[k]], S[i, v])


@kernel
def raise_rows(
    indptr: Array, indices: Array, data: Array, new_indptr: Array, new_indices: Array, new_data: Array,
    parent_ptr: Array, parent_idx: Array,
) -> None:  # fmt: skip
    """Fill the values of CSR rows whose pattern holds all ancestors; absent scores are 0."""
    value = zeros(parent_ptr.size - 1, data.dtype)
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            value[indices[k]] = data[k]
        for j in range(new_indptr[i + 1] - 1, new_indptr[i] - 1, -1):
            v = new_indices[j]
            new_data[j] = value[v]
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                value[parent_idx[k]] = max(value[parent_idx[k]], value[v])
            value[v] = 0
