"""Arrays of NumPy's files, read without running code and within limits: the one place where they are opened."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.unpacking import open_binary

#: What the array of an .npy file is called
ALONE = ""


def read_arrays(path: PathType, limits: Limits | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name; the one of an ``.npy`` file is called ``ALONE``.

    What is damaged, would run code or takes more than the limits is an error with the name of the file.
    """
    with _opened(path, limits or usual_limits()) as file:
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
    except DataFormatError:
        raise
    except Exception as problem:  # zipfile, ast and NumPy each have their own errors
        if isinstance(problem, OSError) and not Path(path).is_file():
            raise
        raise DataFormatError(f"not a readable NumPy file ({problem}).", fspath(path)) from problem


def _check_members(file: BinaryIO, path: PathType, limits: Limits) -> None:
    """Refuse an archive whose arrays are larger than allowed, before any of them is unpacked."""
    if file.read(2) == b"PK":
        with zipfile.ZipFile(file) as archive:
            size = sum(member.file_size for member in archive.infolist())
        limits.check("max_bytes", size, "the arrays in the archive take {:,} bytes", fspath(path))
    file.seek(0)
