"""A grown tree as five arrays; without numba, so that model files can be read before anything is compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from truepath.records import Record

FEATURE, LEFT, RIGHT, CATEGORY_START, LEAF_START, LEAF_STOP = 0, 1, 2, 3, 4, 5  # FEATURE: -1 in leaves
SURROGATE, IS_STRAIGHT = 6, 7  # the feature asked where the value is missing (-1: none), and whether <= goes left
# left if value <= THRESHOLD; the sum of row weights; the decrease of weighted variance; the share of a row without
# value that goes left; the threshold of the surrogate
THRESHOLD, WEIGHT, GAIN, SHARE, SURROGATE_CUT = 0, 1, 2, 3, 4
N_LINKS, N_NUMBERS = 8, 5


@Record.enter("truepath.learners")
class Tree(NamedTuple):
    """Nodes, parents before children; the columns of ``link`` and ``number`` are named above."""

    link: np.ndarray  # one row per node
    number: np.ndarray  # one row per node
    categories: np.ndarray  # the values of a nominal split that go left are bits from CATEGORY_START on
    leaf_label: np.ndarray  # a leaf's labels are at LEAF_START to LEAF_STOP
    leaf_value: np.ndarray  # beside their means
