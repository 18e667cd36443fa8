"""A natural logarithm of arithmetic alone: no call and no branch, so that a loop over it runs several lanes at once.

``p = 2^k m`` with ``m`` in [sqrt(1/2), sqrt(2)), read off the bits of ``p``; with ``s = (m - 1) / (m + 1)``,

    log p = k log 2 + 2 (s + s^3 / 3 + s^5 / 5 + ...),    |s| < 0.172,

cut where the rest is below the last bit. The result is within 3 units in the last place of log m + k log 2.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import vector

ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
MANTISSA = 0xFFFFFFFFFFFFF
LOG_2 = 0.6931471805599453
TINIEST = 1e-300  # below, and below zero, counts as nothing


@vector
def log_or_zero(p):
    """Return log p, and 0 for nothing (or less than nothing, a rounding error of a subtraction)."""
    q = p if p > TINIEST else 1.0
    above = np.float64(q).view(np.int64) - ROOT_HALF
    m = np.int64((above & MANTISSA) + ROOT_HALF).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    high = 1 / 11 + z * (1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19 + z * (1 / 21)))))
    series = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * high))))
    return (above >> 52) * LOG_2 + 2.0 * (s + s * series)


@vector
def xlogx(p):
    """Return ``p log p``, 0 for nothing (or less)."""
    return p * log_or_zero(p)
