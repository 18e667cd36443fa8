"""Data to learn from: opened so that any column can be a feature, and without columns that only name the rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truepath.classifier import FittedOn
from truepath.data import Dataset, Description, open_dataset
from truepath.data.open import reader_of
from truepath.errors import LeftOutWarning
from truepath.files.names import PathType
from truepath.preprocessing import AutoFeatures
from truepath.preprocessing.auto_features import left_out
from truepath.preprocessing.column_kinds import TEXT, column_kind, is_row_id


def open_training(
    source: PathType | Mapping[str, PathType], *, labels: str | Sequence[str] | None = None, **options: Any
) -> Dataset:
    r"""Open data to learn from, as ``truepath fit`` does.

    Parameters
    ----------
    source : path, mapping from str to path, or str
        As for :func:`truepath.open_dataset`.
    labels : str or sequence of str, optional
        The column of label paths, or the columns of the levels.
    **options
        As for :func:`truepath.open_dataset`; those that are None or False count as not given.

    Returns
    -------
    ds : Dataset
        The cells of a table are kept as they are written: what a column holds (numbers, categories, texts, dates) is
        decided when a model is fitted, from its training rows. So is which columns only name the rows, see
        :func:`drop_ids`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from truepath.workflow import open_training
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "books.csv"
    >>> _ = file.write_text("title,pages,labels\nOptics,200,Science/Physics;Art\nCells,150,Science/Biology\n")
    >>> open_training(file)["all"].X
    array([['Optics', '200'],
           ['Cells', '150']], dtype=object)
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if labels is not None:
        given["labels"] = labels
    reader = reader_of(source, given.get("format"), given)
    if reader is None or reader.columns is None:
        return open_dataset(source, **given)
    return open_dataset(source, **given, cells=True)


def read_again(fitted_on: FittedOn, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of :func:`open_training` that read a table as that of a model was read.

    Parameters
    ----------
    fitted_on : FittedOn
        What the model remembers.
    given : mapping of str to object
        Options that are given anew; those that are None are the model's.
    """
    same = {name: getattr(fitted_on, name) for name in ("ids", "sep", "between", "prefixes", "merge_spellings")}
    same["text"] = list(fitted_on.texts) or None
    same["labels"] = fitted_on.labels[0] if len(fitted_on.labels) == 1 else list(fitted_on.labels) or None
    return {**same, **{name: value for name, value in given.items() if value is not None}}


def drop_ids(ds: Dataset) -> Dataset:
    """Return a data set without the columns that only name the rows, with a warning that says which.

    Only cells kept as they are written are looked at. Which columns these are is described in the Notes of
    :class:`truepath.preprocessing.AutoFeatures`, which leaves them out of data frames.
    """
    if any(split.X.ndim != 2 or split.X.dtype != object for split in ds.splits.values()):
        return ds
    X = np.concatenate([split.X for split in ds.splits.values()])
    names = list(map(str, ds.feature_names))
    kept = [j for j, name in enumerate(names) if not is_row_id(name, X[:, j])]
    if len(kept) in (0, len(names)):
        return ds
    ids = [name for j, name in enumerate(names) if j not in kept]
    way = f"To have it in predictions, name it by ids= (--ids {ids[0]!r})."
    warnings.warn(f"{left_out(ids)} {way}", LeftOutWarning, stacklevel=2)
    splits = {name: replace(split, X=split.X[:, kept]) for name, split in ds.splits.items()}
    return replace(ds, splits=splits, feature_names=[names[j] for j in kept])


def describe_training(ds: Dataset) -> Description:
    """Count what a data set holds as a fit would take it: without ids, columns of texts in a table counted as texts.

    Examples
    --------
    >>> from truepath.workflow import describe_training
    >>> from truepath import load_dataset
    >>> describe_training(load_dataset("toy")).n_text
    0
    """
    ds = drop_ids(ds)
    found, X = ds.describe(), next(iter(ds.splits.values())).X
    if X.ndim == 1 or X.dtype != object:
        return found
    most = AutoFeatures().max_categories
    n_text = sum(column_kind(X[:, j], most, name) == TEXT for j, name in enumerate(ds.feature_names))
    return replace(found, n_text=found.n_text + n_text, n_categorical=found.n_categorical - n_text)
