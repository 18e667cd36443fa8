"""The hierarchy of whatever has one: a file, a data set, or a saved model."""

from __future__ import annotations

from pathlib import Path

from truepath.data import read_hierarchy
from truepath.hierarchy import Hierarchy
from truepath.persistence import load
from truepath.persistence.container import is_model_file


def open_hierarchy(source: str | Path, *, sep: str | None = None, header: bool | None = None) -> Hierarchy:
    """Read the hierarchy of a file, of a data set, or of a saved model.

    Parameters
    ----------
    source : path or str
        A file of edges or paths, ``.json``, ``.obo`` or ``.arff``; a model that was saved; or the name of a data set.
    sep : str, optional
        Separator of the parts of a label path; judged by the paths by default.
    header : bool, optional
        Whether the first line of a file of edges names the columns; detected by default.

    Examples
    --------
    >>> from truepath.workflow import open_hierarchy
    >>> open_hierarchy("toy")
    Hierarchy(5 nodes, 3 edges, tree, 3 leaves, height 2)
    """
    if is_model_file(source):
        hierarchy: Hierarchy = load(source).hierarchy_
        return hierarchy
    return read_hierarchy(source, sep=sep, header=header)
