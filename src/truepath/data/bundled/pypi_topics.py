"""The bundled data set ``pypi-topics``: word counts and topic labels of Python packages."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

__all__ = ["PARTS", "PyPITopics", "load_arrays"]

PARTS = ("train", "valid", "test")
"""Names of the parts, in the order of their numbers."""


class PyPITopics(NamedTuple):
    """Python packages, their words and their topics.

    Attributes
    ----------
    X : csr_matrix of int32, shape (n_packages, n_words)
        How often each word occurs in a package's summary, keywords and head of description, at most 255.
    vocabulary : list of str
        The words, in alphabetical order.
    packages : list of str
        The packages' normalised names, in alphabetical order.
    topics : list of str
        Paths such as ``"Scientific/Engineering :: Bio-Informatics"``, parents before children.
    y : csr_matrix of bool, shape (n_packages, n_topics)
        The topics of each package, ancestors included.
    part : ndarray of uint8, shape (n_packages,)
        The part of each package: an index into `PARTS`.
    provenance : dict
        When and by which rules the data set was made.
    """

    X: csr_matrix
    vocabulary: list[str]
    packages: list[str]
    topics: list[str]
    y: csr_matrix
    part: npt.NDArray[np.uint8]
    provenance: dict[str, Any]


def load_arrays() -> PyPITopics:
    """Load the bundled data set ``pypi-topics``.

    Returns
    -------
    PyPITopics
        The packages with their word counts, topics and parts.

    Examples
    --------
    >>> from truepath.data.bundled.pypi_topics import load_arrays
    >>> data = load_arrays()
    >>> data.X.shape[0] == data.y.shape[0] == len(data.packages)
    True
    >>> "Scientific/Engineering :: Bio-Informatics" in data.topics
    True
    """
    file = resources.files("truepath.data.bundled").joinpath("pypi-topics.npz")
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    vocabulary, packages, topics = (decode_lines(arrays[name]) for name in ("vocabulary", "packages", "topics"))
    return PyPITopics(
        X=_counts(arrays, (len(packages), len(vocabulary))),
        vocabulary=vocabulary,
        packages=packages,
        topics=topics,
        y=_labels(arrays, (len(packages), len(topics))),
        part=arrays["part"],
        provenance=json.loads(arrays["provenance"].tobytes()),
    )


def decode_lines(stored: npt.NDArray[np.uint8]) -> list[str]:
    """Read strings that were stored as the bytes of one text, one per line."""
    return stored.tobytes().decode("utf-8").split("\n")


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


def _counts(arrays: dict[str, npt.NDArray[Any]], shape: tuple[int, int]) -> csr_matrix:
    """Word counts, wide enough for sums and products not to overflow."""
    indices = undo_gaps(arrays["X_indices"], arrays["X_indptr"])
    return csr_matrix((arrays["X_data"].astype(np.int32), indices, arrays["X_indptr"]), shape=shape)


def _labels(arrays: dict[str, npt.NDArray[Any]], shape: tuple[int, int]) -> csr_matrix:
    """Topics of each package as a boolean matrix."""
    indices = arrays["Y_indices"].astype(np.int32)
    return csr_matrix((np.ones(indices.size, dtype=bool), indices, arrays["Y_indptr"]), shape=shape)
