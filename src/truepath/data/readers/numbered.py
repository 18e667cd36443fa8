"""Names for columns that have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload


class NumberedNames(Sequence[str]):
    """The names ``"0", "1", ...`` of columns that have none, made when asked for: there may be millions."""

    def __init__(self, size: int):
        self.size = size

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, j: int) -> str: ...
    @overload
    def __getitem__(self, j: slice) -> Sequence[str]: ...
    def __getitem__(self, j: int | slice) -> str | Sequence[str]:
        numbers = range(self.size)[j]
        return [str(k) for k in numbers] if isinstance(numbers, range) else str(numbers)
