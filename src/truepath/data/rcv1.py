"""The RCV1 subsets of the MULAN collection with the topics of their anonymous labels.

``Class1`` ... ``Class101`` are the RCV1-v2 topic codes in alphabetical order without the last two, ``M143`` and
``MCAT``. In one half of the rows of every subset the topic hierarchy holds without exception; in the other half all
label columns are shifted by a constant and the first labels are lost. The correct half is kept, the other dropped;
``MCAT`` follows from the topics below it, ``M143`` is unknown and left out.
"""

from __future__ import annotations

from dataclasses import replace
from os import fspath

import numpy as np
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.readers.base import split_of_labels
from truepath.errors import DataFormatError
from truepath.files.names import PathType
from truepath.files.text import read_text, split_lines
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense


def with_topics(ds: Dataset, topics: PathType) -> Dataset:
    """Name the labels, add their hierarchy and keep the half of the rows in which it holds.

    Parameters
    ----------
    ds : Dataset
        One of the subsets, as read: one split ``"all"``, labels ``Class1`` ... ``Class101``.
    topics : path
        Tab-separated columns ``column``, ``label``, ``topic``, ``parent``; a ``-`` in the first two means that the
        data have no such column, ``root`` as the parent means a top-level topic.
    """
    named, hierarchy = _read_topics(topics)
    columns = np.array([hierarchy.index(named[label]) for label in ds.hierarchy.names.tolist()])
    whole = ds["all"]
    found = sparse.csr_array(whole.y)
    Y = sparse.csr_array((found.data, columns[found.indices], found.indptr), shape=(len(whole), hierarchy.n_nodes))
    Y.sort_indices()
    rows = _sound_half(Y, hierarchy, np.unique(columns))
    kept = split_of_labels(whole.X[rows], Y[rows], hierarchy)
    remarks = {"all": f"rows {rows[0]} to {rows[-1]} of {len(whole)}: in the others the labels are shifted"}
    return replace(ds, hierarchy=hierarchy, splits={"all": kept}, provenance={**ds.provenance, "remarks": remarks})


def _read_topics(path: PathType) -> tuple[dict[str, str], Hierarchy]:
    rows = [line.split("\t") for line in split_lines(read_text(path))[1:] if line.strip()]
    wrong = next((number for number, row in enumerate(rows, start=2) if len(row) != 4), None)
    if wrong is not None:
        raise DataFormatError("not 'column label topic parent', separated by tabs.", fspath(path), wrong)
    parents = {parent for *_, parent in rows}
    kept = [row for row in rows if row[1] != "-" or row[2] in parents]  # a leaf without a column is unknown
    edges = [(None if parent == "root" else parent, topic) for _, _, topic, parent in kept]
    hierarchy = Hierarchy.from_edges(edges, nodes=[topic for _, topic in edges])
    return {label: topic for _, label, topic, _ in kept if label != "-"}, hierarchy


def _sound_half(Y: sparse.csr_array, hierarchy: Hierarchy, written: np.ndarray) -> np.ndarray:
    """Find the half of the rows in which every label has its parent, as far as parents have columns."""
    dense, middle = as_dense(Y), Y.shape[0] // 2
    parent, child = hierarchy.edges.T
    checked = np.isin(parent, written)
    broken = (dense[:, child[checked]] & ~dense[:, parent[checked]]).any(axis=1)
    halves = [half for half in (np.arange(middle), np.arange(middle, Y.shape[0])) if not broken[half].any()]
    if len(halves) != 1:
        raise ValueError(f"{len(halves)} halves of the rows respect the topics; exactly one was expected.")
    return halves[0]
