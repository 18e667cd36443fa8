"""A grown tree as five arrays; without numba, so that model files can be read before anything is compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from truepath.records import Record

__all__ = ["Tree"]


@Record.enter("truepath.learners")
class Tree(NamedTuple):
    """Nodes, parents before children; the columns of ``link`` and ``number`` are named in ``tree.py``."""

    link: np.ndarray  # one row per node
    number: np.ndarray  # one row per node
    categories: np.ndarray  # the values of a nominal split that go left are bits from CATEGORY_START on
    leaf_label: np.ndarray  # a leaf's labels are at LEAF_START to LEAF_STOP
    leaf_value: np.ndarray  # beside their means
