"""Sets of labels in files: one label per line, or a table that lists labels by a key; and shares of labels."""

from __future__ import annotations

import numpy as np

from truepath.data.tables.columns import Columns
from truepath.data.tables.frames import FOUND_OUT, TableForm, read_columns
from truepath.data.tables.label_cells import split_labels
from truepath.errors import DataFormatError
from truepath.files.limits import usual_limits
from truepath.files.names import PathType
from truepath.files.text import read_text, split_lines


def read_label_list(path: PathType) -> list[str]:
    r"""Read a text file with one label per line; lines without one are skipped.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "summer.txt"
    >>> _ = file.write_text("animal/cat\n\nplant\n")
    >>> read_label_list(file)
    ['animal/cat', 'plant']
    """
    return [line.strip() for line in split_lines(read_text(path, usual_limits())) if line.strip()]


def read_label_sets(
    table: PathType, key: str, *, labels: str = "labels", between: str = ";", form: TableForm = FOUND_OUT
) -> dict[str, list[str]]:
    r"""Read a table of labels by key, such as the labels of each shop; a key may have several lines.

    Parameters
    ----------
    table : path
        A CSV, TSV, Excel, JSON Lines or Parquet file.
    key : str
        The column of keys.
    labels : str, default="labels"
        The column of labels; in a table of two columns it is the other one, whatever it is called.
    between : str, default=";"
        Separator of the labels in a cell.
    form : TableForm

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "shops.csv"
    >>> _ = file.write_text("shop,labels\nnorth,animal/cat;plant\nsouth,plant\nsouth,animal/dog\n")
    >>> read_label_sets(file, "shop")
    {'north': ['animal/cat', 'plant'], 'south': ['plant', 'animal/dog']}
    """
    columns: Columns = read_columns(table, form.for_file(table), usual_limits())
    names = list(columns.names)
    if labels not in names and len(names) == 2 and key in names:
        labels = next(name for name in names if name != key)
    columns.check([key, labels])
    found: dict[str, list[str]] = {}
    for each, cell in zip(columns.texts(key).tolist(), columns.data[labels]):
        found.setdefault(str(each), []).extend(split_labels(cell, between))
    if not found:
        raise DataFormatError("the table of labels has no rows.", str(table))
    return found


def read_label_shares(table: PathType, *, form: TableForm = FOUND_OUT) -> dict[str, float]:
    r"""Read a table with a column ``label`` and a column ``share``.

    Parameters
    ----------
    table : path
        A CSV, TSV, Excel, JSON Lines or Parquet file.
    form : TableForm

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "shares.csv"
    >>> _ = file.write_text("label,share\nanimal,0.8\nanimal/cat,0.5\n")
    >>> read_label_shares(file)
    {'animal': 0.8, 'animal/cat': 0.5}
    """
    columns: Columns = read_columns(table, form.for_file(table), usual_limits())
    columns.check(["label", "share"])
    shares, is_number = columns.numbers(["share"])
    if not is_number[0] or np.isnan(shares).any():
        raise columns.error("the column 'share' must hold numbers.", None)
    return dict(zip(columns.texts("label").tolist(), shares[:, 0].tolist()))
