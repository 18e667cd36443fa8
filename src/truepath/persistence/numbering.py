"""The payload of skops, with objects numbered in the order of the schema instead of by their places in memory.

Two estimators that hold the same then give the same bytes: skops takes numbers of objects from memory and names of
files at random, and stores when each file was written.
"""

from __future__ import annotations

import io
import json
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from truepath.files.strict_json import dump_json
from truepath.persistence.payload import SCHEMA

#: Quick, and within a few percent of the smallest
COMPRESSION_LEVEL = 3


def number_payload(payload: bytes) -> bytes:
    """Return a compressed payload whose numbers and names follow from its content."""
    with ZipFile(io.BytesIO(payload)) as archive:
        schema, names = json.loads(archive.read(SCHEMA)), _Names()
        names.rename(schema)
        target = io.BytesIO()
        with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as packed:
            for old, new in names.files.items():
                _write(packed, new, archive.read(old))
            _write(packed, SCHEMA, dump_json(schema, indent=2).encode())
    return target.getvalue()


def _write(packed: ZipFile, name: str, content: bytes) -> None:
    """Write an entry without a date: zipfile's own is 1980."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    packed.writestr(entry, content, compresslevel=COMPRESSION_LEVEL)


class _Names:
    """New numbers of objects and new names of files, by the old ones."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.files: dict[str, str] = {}

    def rename(self, value: Any) -> None:
        """Rename everything in a part of the schema, in place; depth first, as it is written."""
        if isinstance(value, list):
            for part in value:
                self.rename(part)
        elif isinstance(value, dict):
            if "__id__" in value:
                value["__id__"] = self.numbers.setdefault(value["__id__"], len(self.numbers) + 1)
            if "__loader__" in value and isinstance(old := value.get("file"), str):
                ending = old.rpartition(".")[2]
                value["file"] = self.files.setdefault(old, f"{len(self.files) + 1}.{ending}")
            for part in value.values():
                self.rename(part)
