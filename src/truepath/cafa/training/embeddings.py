"""Embeddings of proteins with their ids: NumPy arrays, archives of them, HDF5, and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.tables.columns import read_ids
from truepath.data.tables.arrays import ALONE, HDF5, read_arrays
from truepath.errors import DataFormatError
from truepath.files.names import PathType, ending_of

#: How an archive calls the ids of its rows
ID_NAMES = ("ids", "id", "proteins", "protein_ids", "names", "entry_id")


class Embeddings(NamedTuple):
    """Ids of proteins and one row of numbers for each."""

    ids: list[str]
    X: NDArray[Any]

    def take(self, wanted: list[str]) -> NDArray[Any]:
        """Return the rows of some ids; an unknown id is an error."""
        place = {name: i for i, name in enumerate(self.ids)}
        missing = [name for name in wanted if name not in place]
        if missing:
            raise ValueError(f"no embedding for {len(missing)} proteins, such as {missing[0]!r}.")
        return self.X[[place[name] for name in wanted]]


def read_embeddings(path: PathType, ids: PathType | None = None) -> Embeddings:
    """Read embeddings of proteins.

    Parameters
    ----------
    path : path
        ``.npy``: a matrix, whose ids are in a text file. ``.npz``, ``.h5``, ``.hdf5``: a matrix and an array of ids
        (called ids, id, proteins or names), or one vector per protein under its id. ``.parquet``: a column of ids and
        columns of numbers, or one column of lists.
    ids : path, optional
        A text file with one id per line, for ``.npy``; by default the same name with ``.txt`` or ``.ids``.
    """
    kind = ending_of(path)
    if kind in (".npz", *HDF5):
        found = _from_archive(path)
    elif kind == ".npy":
        found = Embeddings(_find_ids(path, ids), _only_array(path))
    elif kind == ".parquet":
        found = _from_parquet(path)
    else:
        raise DataFormatError(
            f"embeddings in {kind or 'a file without ending'}: use .npy, .npz, .h5 or .parquet.", path
        )
    return _checked(found, path)


def _only_array(path: PathType) -> NDArray[Any]:
    parts = read_arrays(path)
    if ALONE not in parts:
        raise DataFormatError(
            "an archive of several arrays in a file that ends in .npy.", path, remedy="Rename it to .npz."
        )
    return parts[ALONE]


def _find_ids(path: PathType, ids: PathType | None) -> list[str]:
    choices = [Path(ids)] if ids is not None else [Path(path).with_suffix(ending) for ending in (".txt", ".ids")]
    for choice in choices:
        if choice.exists():
            return read_ids(choice)
    raise DataFormatError(
        "a matrix without ids.", path, remedy=f"Write one id per line to {choices[0]}, or say where they are."
    )


def _from_archive(path: PathType) -> Embeddings:
    parts = read_arrays(path)
    key = next((name for name in ID_NAMES if name in parts), None)
    if key is None:
        widths = {array.shape for array in parts.values()}
        if len(widths) == 1 and len(next(iter(widths))) == 1:
            return Embeddings(list(parts), np.array(list(parts.values())))
        raise DataFormatError(f"neither ids ({', '.join(ID_NAMES)}) nor one vector per protein.", path)
    matrices = [array for name, array in parts.items() if name != key and array.ndim == 2]
    if len(matrices) != 1:
        raise DataFormatError(f"{len(matrices)} matrices beside the ids where one is expected.", path)
    return Embeddings([str(name) for name in parts[key].tolist()], matrices[0])


def _from_parquet(path: PathType) -> Embeddings:
    import narwhals.stable.v1 as nw

    from truepath.data.tables.parquet import read_parquet

    table = nw.from_native(read_parquet(path), eager_only=True)
    words = [name for name, dtype in table.schema.items() if dtype == nw.String or dtype == nw.Categorical]
    lists = [name for name, dtype in table.schema.items() if isinstance(dtype, nw.List | nw.Array)]
    numbers = [name for name, dtype in table.schema.items() if dtype.is_numeric()]
    if len(words) != 1 or not (numbers or lists):
        raise DataFormatError("one column of ids and columns of numbers (or one of lists) are expected.", path)
    ids = [str(name) for name in table[words[0]].to_list()]
    if lists:
        return Embeddings(ids, np.array(table[lists[0]].to_list(), np.float32))
    return Embeddings(ids, table.select(numbers).to_numpy())


def _checked(found: Embeddings, path: PathType) -> Embeddings:
    X = np.asarray(found.X)
    if X.ndim != 2 or X.dtype.kind not in "fiu":
        raise DataFormatError(f"a matrix of numbers is expected; got {X.dtype} of shape {X.shape}.", path)
    if len(found.ids) != X.shape[0]:
        raise DataFormatError(f"{len(found.ids)} ids for {X.shape[0]} rows.", path)
    if len(set(found.ids)) != len(found.ids):
        twice = next(name for k, name in enumerate(found.ids) if name in found.ids[:k])
        raise DataFormatError(f"the id {twice!r} occurs twice.", path)
    if not np.isfinite(X).all():
        row = int(np.flatnonzero(~np.isfinite(X).all(axis=1))[0])
        raise DataFormatError(f"the embedding of {found.ids[row]!r} has a value that is not a finite number.", path)
    return Embeddings(found.ids, X if X.dtype in (np.float32, np.float64) else X.astype(np.float32))
