"""Arrays of HDF5 files, by the path of each in its file, within limits: what embeddings of many programs come as."""

from __future__ import annotations

from os import fspath
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from truepath.errors import DataFormatError
from truepath.extras import import_extra
from truepath.files.limits import Limits
from truepath.files.names import PathType

#: Numbers and texts; h5py calls texts of any length objects
_KINDS = "biufSUO"


def read_hdf5(file: BinaryIO, path: PathType, limits: Limits) -> dict[str, NDArray[Any]]:
    """Return the arrays of numbers and of texts, those in groups called ``group/name``.

    Links to other files are not followed, and arrays of which a part lies in other files are refused.
    """
    h5py = import_extra("h5py", "Reading HDF5", "hdf5")
    found: dict[str, Any] = {}
    with h5py.File(file, "r") as archive:
        archive.visititems(lambda name, one: found.update({name: one} if isinstance(one, h5py.Dataset) else {}))
        if any("pandas_type" in group.attrs for group in [archive, *archive.values()]):
            problem = "pandas wrote this file (to_hdf), as a frame in pieces."
            raise DataFormatError(problem, fspath(path), remedy="Write it with to_parquet, or its values with h5py.")
        if any(one.external or one.is_virtual for one in found.values()):
            raise DataFormatError("an array whose numbers are in other files.", fspath(path))
        size = sum(one.nbytes for one in found.values())
        limits.check("max_bytes", size, "the arrays take {:,} bytes", fspath(path))
        limits.check_ratio(size, file.seek(0, 2), fspath(path))
        return {name: _read(h5py, one) for name, one in found.items() if one.dtype.kind in _KINDS and one.shape != ()}


def _read(h5py: Any, dataset: Any) -> NDArray[Any]:
    """Read an array; texts come as such."""
    if h5py.check_string_dtype(dataset.dtype) is None:
        return np.asarray(dataset[()])
    return np.array(dataset.asstr()[()], dtype=str)
