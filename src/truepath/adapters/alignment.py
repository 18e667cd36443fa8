"""Arrays that arrive from another process, laid where NumPy would have put them.

Dask hands over arrays inside the message they came in, at any address. Vectorised loops treat the first and the last
numbers by themselves, so that a sum depends on where the array begins: the same fit then differs in the last bits.
Compiled kernels are compiled once more for arrays that are not aligned at all, and for read-only ones, as Ray's are.
"""

from __future__ import annotations

import io
import pickle
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

#: NumPy's own arrays begin at multiples of this
ALIGNMENT = 16
#: A read-only array of fewer bytes is copied too; larger ones are read in place by all processes of a machine
SMALL = 1 << 20


def align(value: Any) -> Any:
    """Return an object as it is, or with copies of the arrays that lie where NumPy would not put them.

    Examples
    --------
    >>> shifted = np.zeros(25, np.uint8)[1:].view(np.float64)
    >>> shifted.flags.aligned, align({"x": [shifted]})["x"][0].flags.aligned
    (False, True)
    """
    sent = io.BytesIO()
    taking = _ArraysApart(sent)
    taking.dump(value)
    if not taking.n_copied:
        return value
    sent.seek(0)
    return _ArraysBack(sent, taking.apart).load()


class _ArraysApart(pickle.Pickler):
    """Pickles the structure of an object; arrays, and what has one home such as functions, are put apart."""

    def __init__(self, sent: io.BytesIO):
        super().__init__(sent, protocol=pickle.HIGHEST_PROTOCOL)
        self.apart: list[Any] = []
        self.n_copied = 0
        self._number: dict[int, int] = {}
        self._seen: list[Any] = []  # alive, so that no other object gets the id of one of them

    def persistent_id(self, value: Any) -> int | None:
        """Return the number under which a value is put apart, or None for what is pickled."""
        is_array = isinstance(value, np.ndarray) and value.dtype != object
        if not is_array and not isinstance(value, (type, FunctionType, BuiltinFunctionType, ModuleType)):
            return None
        if id(value) not in self._number:
            self._number[id(value)] = len(self.apart)
            self._seen.append(value)
            self.apart.append(self._place(value) if is_array else value)
        return self._number[id(value)]

    def _place(self, array: np.ndarray) -> np.ndarray:
        is_small_and_fixed = array.nbytes < SMALL and not array.flags.writeable
        if array.ctypes.data % ALIGNMENT == 0 and not is_small_and_fixed:
            return array
        self.n_copied += 1
        return array.copy(order="K")


class _ArraysBack(pickle.Unpickler):
    """Rebuilds an object around what was put apart."""

    def __init__(self, sent: io.BytesIO, apart: list[Any]):
        super().__init__(sent)
        self.apart = apart

    def persistent_load(self, number: int) -> Any:
        """Return what was put apart under a number."""
        return self.apart[number]
