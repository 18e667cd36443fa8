"""Arrays of NumPy's files and of HDF5, read without running code and within limits: the one place that opens them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import SEEK_END
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.hdf5 import read_hdf5
from truepath.errors import DataFormatError, MissingExtraError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType, ending_of
from truepath.files.unpacking import open_binary

#: Files of HDF5
HDF5 = (".h5", ".hdf5")
#: What the array of an .npy file is called
ALONE = ""


def read_arrays(path: PathType, limits: Limits | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name; the one of an ``.npy`` file is called ``ALONE``.

    What is damaged, would run code or takes more than the limits is an error with the name of the file.
    """
    limits = limits or usual_limits()
    with _opened(path, limits) as file:
        if ending_of(path) in HDF5:
            return read_hdf5(file, path, limits)
        found: Any = np.load(file, allow_pickle=False)
        return dict(found) if isinstance(found, np.lib.npyio.NpzFile) else {ALONE: found}


def read_csr(path: PathType, limits: Limits | None = None) -> Any:
    """Return the matrix of a file that SciPy wrote, as CSR, its indices checked."""
    from scipy import sparse

    limits = limits or usual_limits()
    with _opened(path, limits) as file:
        n_rows = int(np.load(file, allow_pickle=False)["shape"][0])  # CSR has a number for each, however few are stored
        limits.check("max_bytes", 8 * n_rows, "a sparse matrix whose rows take {:,} bytes", fspath(path))
        file.seek(0)
        values: Any = sparse.csr_array(sparse.load_npz(file))
        values.check_format(full_check=True)
        return values


@contextmanager
def _opened(path: PathType, limits: Limits) -> Iterator[BinaryIO]:
    """Open a file whose arrays are not too large; what is wrong with it is said in one way."""
    try:
        with open_binary(path, limits) as file:
            _check_members(file, path, limits)
            yield file
    except (DataFormatError, MissingExtraError):
        raise
    except Exception as problem:  # zipfile, ast, NumPy and h5py each have their own errors
        if isinstance(problem, OSError) and not Path(path).is_file():
            raise
        kind = "HDF5" if ending_of(path) in HDF5 else "NumPy"
        raise DataFormatError(f"not a readable {kind} file ({problem}).", fspath(path)) from problem


def _check_members(file: BinaryIO, path: PathType, limits: Limits) -> None:
    """Refuse an archive whose arrays are larger than allowed, before any of them is unpacked."""
    if file.read(2) == b"PK":
        with zipfile.ZipFile(file) as archive:
            size = sum(member.file_size for member in archive.infolist())
        limits.check("max_bytes", size, "the arrays in the archive take {:,} bytes", fspath(path))
        limits.check_ratio(size, file.seek(0, SEEK_END), fspath(path))
    file.seek(0)
