"""The bundled data set as a :class:`Dataset`: packages, the words of their summaries, and their topics."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.readers.base import make_dataset
from truepath.data.split import Split
from truepath.hierarchy import Hierarchy

__all__ = ["pypi_topics"]

_SEPARATOR = " :: "


def pypi_topics() -> Dataset:
    """Load the bundled arrays; every topic is named by its whole path."""
    from truepath.data.bundled.pypi_topics import load_arrays

    arrays = load_arrays()
    topics = [str(topic) for topic in arrays.topics]
    edges = [(topic.rpartition(_SEPARATOR)[0] or None, topic) for topic in topics]
    hierarchy = Hierarchy.from_edges(edges, nodes=topics)
    if hierarchy.names.tolist() != topics:
        raise AssertionError("the bundled topics are not listed parents first")
    X = sparse.csr_array(arrays.X, dtype=np.float64)
    Y = sparse.csr_array(arrays.y, dtype=bool)
    whole = Split(X, Y, np.array([str(package) for package in arrays.packages], dtype=object))
    part = np.asarray(arrays.part)
    splits = {name: whole.take(np.flatnonzero(part == k)) for k, name in enumerate(("train", "valid", "test"))}
    names = [str(word) for word in arrays.vocabulary]
    return make_dataset("pypi-topics", hierarchy, splits, names, provenance=dict(arrays.provenance))
