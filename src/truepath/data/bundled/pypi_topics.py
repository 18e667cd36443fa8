"""The bundled data set ``pypi-topics``: Python packages, the words of their summaries, and their topics."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.readers.base import make_dataset
from truepath.data.split import Split
from truepath.hierarchy import Hierarchy

#: Names of the parts, in the order of their numbers
PARTS = ("train", "valid", "test")

_SEPARATOR = " :: "


def pypi_topics() -> Dataset:
    """Load the data set; every topic is named by its whole path."""
    arrays = load_arrays()
    topics = arrays["topics"]
    edges = [(topic.rpartition(_SEPARATOR)[0] or None, topic) for topic in topics]
    hierarchy = Hierarchy.from_edges(edges, nodes=topics, sep=_SEPARATOR)
    if hierarchy.names.tolist() != topics:
        raise AssertionError("the bundled topics are not listed parents first")
    X, Y = sparse.csr_array(arrays["X"], dtype=np.float64), sparse.csr_array(arrays["y"], dtype=bool)
    whole = Split(X, Y, np.array(arrays["packages"], dtype=object))
    splits = {name: whole.take(np.flatnonzero(arrays["part"] == k)) for k, name in enumerate(PARTS)}
    return make_dataset("pypi-topics", hierarchy, splits, arrays["vocabulary"], provenance=arrays["provenance"])


def load_arrays() -> dict[str, Any]:
    """Read the file of the data set.

    Returns
    -------
    dict
        ``X``, csr_matrix of int32, shape (n_packages, n_words): how often each word occurs in a package's summary,
        keywords and head of description, at most 255; ``vocabulary``, ``packages`` and ``topics``, lists of str, the
        first two in alphabetical order, topics as paths such as ``"Scientific/Engineering :: Bio-Informatics"``,
        parents before children; ``y``, csr_matrix of bool, shape (n_packages, n_topics), ancestors included; ``part``,
        the number of each package's part in `PARTS`; ``provenance``, when and by which rules the data set was made.

    Examples
    --------
    >>> data = load_arrays()
    >>> data["X"].shape[0] == data["y"].shape[0] == len(data["packages"])
    True
    """
    file = resources.files("truepath.data.bundled").joinpath("pypi-topics.npz")
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        arrays: dict[str, Any] = dict(stored)
    for name in ("vocabulary", "packages", "topics"):  # stored as the bytes of one text, one name per line
        arrays[name] = arrays[name].tobytes().decode("utf-8").split("\n")
    n_packages, counts = len(arrays["packages"]), arrays["X_data"].astype(np.int32)  # sums of them do not overflow
    words, topics = undo_gaps(arrays["X_indices"], arrays["X_indptr"]), arrays["Y_indices"].astype(np.int32)
    X = sparse.csr_matrix((counts, words, arrays["X_indptr"]), shape=(n_packages, len(arrays["vocabulary"])))
    marks = (np.ones(topics.size, dtype=bool), topics, arrays["Y_indptr"])
    y = sparse.csr_matrix(marks, shape=(n_packages, len(arrays["topics"])))
    return {**arrays, "X": X, "y": y, "provenance": json.loads(arrays["provenance"].tobytes())}


def undo_gaps(steps: npt.NDArray[np.uint16], indptr: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Turn the steps between the columns of each row back into column numbers.

    Parameters
    ----------
    steps : ndarray of uint16
        First column of each row, then the distance of each column to the one before.
    indptr : ndarray of int32
        Where each row starts and ends.

    Returns
    -------
    ndarray of int32
        The column numbers, in order within each row.
    """
    running = np.cumsum(steps, dtype=np.int64)
    before_row = np.concatenate([[0], running])[indptr[:-1]]
    return (running - np.repeat(before_row, np.diff(indptr))).astype(np.int32)
