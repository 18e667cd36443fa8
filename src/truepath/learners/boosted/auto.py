"""What "auto" means: how many rounds, how long their steps and how many leaves, by the size of the table alone.

Steps are shorter where rows are few, since they are more often wrong there; trees are smaller. The figures were chosen
on rows left out of the training parts of public sets, see ``benchmarks/README.md``.
"""

from __future__ import annotations

import numpy as np

#: Rows, and the length of steps and the number of leaves at as many; between them by the logarithm of the rows
ROWS = (2_500, 10_000, 75_000)
RATES = (0.03, 0.06, 0.2)
LEAVES = (16, 64, 64)
#: Rounds, unless said otherwise
N_ROUNDS = 500
#: In fewer rounds steps are longer in proportion, up to this
LONGEST_RATE = 0.3


def choose_leaves(n_rows: int) -> int:
    """Return the most leaves of a tree.

    Examples
    --------
    >>> [choose_leaves(n_rows) for n_rows in (100, 5_000, 1_000_000)]
    [16, 40, 64]
    """
    return round(float(np.interp(np.log(n_rows), np.log(ROWS), LEAVES)))


def choose_rate(n_rows: int, n_rounds: int) -> float:
    """Return the learning rate.

    Examples
    --------
    >>> [round(choose_rate(n_rows, 500), 3) for n_rows in (100, 5_000, 1_000_000)]
    [0.03, 0.045, 0.2]
    >>> round(choose_rate(100, 100), 3)
    0.15
    """
    rate = float(np.interp(np.log(n_rows), np.log(ROWS), RATES))
    return max(rate, min(LONGEST_RATE, rate * N_ROUNDS / n_rounds))
