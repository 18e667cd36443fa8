"""Arrays of NumPy's files, read without running code and within limits: the one place where they are opened."""

from __future__ import annotations

import zipfile
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.unpacking import open_binary

__all__ = ["ALONE", "read_arrays", "read_csr"]

#: What the array of an .npy file is called
ALONE = ""


def read_arrays(path: PathType, limits: Limits | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name; the one of an ``.npy`` file is called ``ALONE``.

    What is damaged, would run code or takes more than the limits is an error with the name of the file.
    """
    found: dict[str, NDArray[Any]] = _opened(path, limits, _load)
    return found


def read_csr(path: PathType, limits: Limits | None = None) -> Any:
    """Return the matrix of a file that SciPy wrote, as CSR, its indices checked."""
    return _opened(path, limits, _load_sparse)


def _opened(path: PathType, limits: Limits | None, load: Any) -> Any:
    """Load from an open file whose arrays are not too large."""
    limits = limits or usual_limits()
    try:
        with open_binary(path, limits) as file:
            _check_members(file, path, limits)
            return load(file, path, limits)
    except OSError as problem:
        if not Path(path).is_file():
            raise
        raise DataFormatError(f"not a readable NumPy file ({problem}).", fspath(path)) from problem
    except DataFormatError:
        raise
    except Exception as problem:  # zipfile, ast and NumPy each have their own errors
        raise DataFormatError(f"not a readable NumPy file ({problem}).", fspath(path)) from problem


def _check_members(file: BinaryIO, path: PathType, limits: Limits) -> None:
    """Refuse an archive whose arrays are larger than allowed, before any of them is unpacked."""
    if file.read(2) == b"PK":
        with zipfile.ZipFile(file) as archive:
            size = sum(member.file_size for member in archive.infolist())
        limits.check("max_bytes", size, "the arrays in the archive take {:,} bytes", fspath(path))
    file.seek(0)


def _load(file: BinaryIO, path: PathType, limits: Limits) -> dict[str, NDArray[Any]]:
    found: Any = np.load(file, allow_pickle=False)
    return dict(found) if isinstance(found, np.lib.npyio.NpzFile) else {ALONE: found}


def _load_sparse(file: BinaryIO, path: PathType, limits: Limits) -> Any:
    """Load a matrix; CSR has a number for each row, however few values are stored."""
    from scipy import sparse

    n_rows = int(np.load(file, allow_pickle=False)["shape"][0])
    limits.check("max_bytes", 8 * n_rows, "a sparse matrix whose rows take {:,} bytes", fspath(path))
    file.seek(0)
    values: Any = sparse.csr_array(sparse.load_npz(file))
    values.check_format(full_check=True)
    return values
