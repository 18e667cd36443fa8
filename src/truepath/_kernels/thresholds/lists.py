"""Sorted lists looked into, and lists that outgrow their arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.arrays import copy_first
from truepath._kernels.jit import kernel

Array = NDArray[Any]


@kernel
def find_at_least(value: Array, low: int, high: int, x: float) -> int:
    """Return the first position from ``low`` to ``high`` whose value is at least ``x``."""
    while low < high:
        middle = (low + high) // 2
        if value[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def grow(array: Array, used: int, size: int) -> Array:
    """Return a longer array that begins with what is used."""
    longer = np.empty(size, array.dtype)
    copy_first(array, used, longer)
    return longer
