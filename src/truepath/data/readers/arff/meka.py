"""MEKA's format: one ARFF file whose relation says how many attributes are labels.

``@relation 'name: -C 6'`` means that the first six attributes are labels, ``-C -6`` the last six. Labels are
``{0,1}`` attributes and flat. Sparse rows count columns from 0.
"""

from __future__ import annotations

from truepath.data.dataset import Dataset
from truepath.data.readers.arff.binary_labels import check_label_columns, read_binary_labels
from truepath.data.readers.arff.files import (
    LABEL_COUNT,
    ArffReader,
)
from truepath.data.readers.arff.header import Arff
from truepath.data.readers.base import Paths
from truepath.files.limits import Limits


def read_meka(path: Paths, *, name: str | None = None, limits: Limits | None = None) -> Dataset:
    """Read flat multi-label data in MEKA's format.

    Parameters
    ----------
    path : path, or mapping from str to path
        One file becomes the split ``"all"``; a mapping such as ``{"train": ..., "test": ...}`` names the splits.
        Files may be compressed (.xz, .gz, .bz2).
    name : str, optional
        The name of the data set; by default the relation's, without its options.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    ds : Dataset
        With a flat hierarchy.

    Raises
    ------
    DataFormatError
        If the file is malformed, with file and line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.arff"
    >>> _ = file.write_text('''@relation 'tiny: -C 2'
    ... @attribute sun {0,1}
    ... @attribute sea {0,1}
    ... @attribute blue numeric
    ... @data
    ... 1,0,0.5
    ... 1,1,0.9
    ... ''')
    >>> ds = read_meka(file)
    >>> ds.name, ds.hierarchy.decode(ds["all"].y), ds["all"].X.tolist()
    ('tiny', [('sun',), ('sun', 'sea')], [[0.5], [0.9]])
    """
    return read_binary_labels(path, _positions, None, name, limits=limits)


def _positions(arff: Arff) -> list[int]:
    """Find the label attributes from the option in the relation."""
    found = LABEL_COUNT.search(arff.relation)
    width = len(arff.attributes)
    if found is None:
        raise arff.error("the relation does not say how many labels there are, as in @relation 'name: -C 6'.")
    count = int(found.group(1))
    if not 0 < abs(count) <= width:
        raise arff.error(f"the relation says -C {count}, but there are {width} attributes.")
    positions = list(range(count)) if count > 0 else list(range(width + count, width))
    names = [arff.attributes[j].name for j in positions]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise arff.error(f"two labels are called {twice!r}.", arff.attributes[positions[0]].line)
    check_label_columns(arff, positions)
    return positions


class Meka(ArffReader):
    """ARFF files that count their labels in the relation."""

    name = "meka"
    summary = "ARFF with the number of labels in its relation, \"@relation 'name: -C 6'\" (MEKA)"
    read = staticmethod(read_meka)
