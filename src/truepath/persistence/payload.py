"""Checks of the payload before skops reads it: declared sizes, and arrays that agree with their headers.

skops refuses types that are not trusted. What it leaves open is how much a hostile file can make it read and
walk: archives that unpack to terabytes, one entry read a thousand times, references that fan out exponentially. All
of that is counted here, before anything is unpacked or built. It also calls the types of a mapping's keys with the
keys: these must be the types of plain values.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

SCHEMA = "schema.json"
#: A parsed schema takes about this many times the bytes of its text
SCHEMA_WEIGHT = 10
#: Seeds of NumPy's generators have pools of 4 words; a huge pool is a way to hang the reader
MAX_POOL = 64
#: Scalars that arrays may be turned into
SCALARS = frozenset(["ndarray", "bool", "bool_", "str_", "bytes_", "datetime64", "timedelta64", "longdouble"]) | {
    f"{kind}{bits}" for kind in ("int", "uint", "float", "complex") for bits in (8, 16, 32, 64, 128)
}
#: What turns the texts of a mapping's keys into the keys
KEY_TYPES = {f"builtins.{name}" for name in ("str", "int", "float", "bool")} | {
    f"numpy.{name}" for name in SCALARS - {"ndarray"}
}
#: Older ones are built by other rules, and save never wrote them
PROTOCOL = 2
_CALLED = {"FunctionNode", "MethodNode", "PartialNode", "OperatorFuncNode"}
_READERS = {"NdArrayNode", "SparseMatrixNode", "BytesNode", "BytearrayNode"}
_NPY, _ZIP = b"\x93NUMPY", b"PK"


class PayloadError(Exception):
    """The payload is not what ``save`` writes."""


def check_payload(payload: bytes, max_bytes: int) -> None:
    """Refuse a payload that is not an archive of arrays and a schema, or that unpacks to more than ``max_bytes``."""
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        sizes = _declared_sizes(archive)
        total = sum(sizes.values()) + SCHEMA_WEIGHT * sizes.get(SCHEMA, 0)
        _check_total(total, max_bytes)
        for name in sizes:
            if name != SCHEMA:
                total += _check_entry(archive, name, max_bytes - total)
                _check_total(total, max_bytes)
        schema = json.loads(archive.read(SCHEMA))
    _Schema(sizes, max_bytes).check(schema)


def list_called(payload: bytes) -> set[str]:
    """Return the full names of what a payload holds that could be called: functions, methods and the like."""
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        waiting, names = [json.loads(archive.read(SCHEMA))], set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict) and value.get("__loader__") in _CALLED:
            name = _name(value)
            names.add(f"{name}.{value['content']['func']}" if value["__loader__"] == "MethodNode" else name)
        waiting.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    return names


def _declared_sizes(archive: zipfile.ZipFile) -> dict[str, int]:
    """Return the size of each entry, which is also the most that zipfile reads of it."""
    entries = archive.infolist()
    sizes = {entry.filename: entry.file_size for entry in entries}
    if len(sizes) != len(entries):
        raise PayloadError("an entry occurs twice in the archive")
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise PayloadError("an entry is packed in a way that truepath does not write")
    return sizes


def _check_total(total: int, max_bytes: int) -> None:
    if total > max_bytes:
        raise PayloadError(
            f"it unpacks to {total:,} bytes, more than max_bytes={max_bytes:,}. "
            "If you expect a model of that size, pass a larger max_bytes or set TRUEPATH_MAX_RATIO"
        )


def _check_entry(archive: zipfile.ZipFile, name: str, max_bytes: int) -> int:
    """Check an array's header against its size; look into an archive of arrays (a sparse matrix) likewise.

    Returns what such an archive unpacks to.
    """
    with archive.open(name) as entry:
        start = entry.read(len(_NPY))
    if start == _NPY:
        _check_array(archive, name)
    elif start.startswith(_ZIP):
        with zipfile.ZipFile(io.BytesIO(archive.read(name))) as inner:
            sizes = _declared_sizes(inner)
            if (total := sum(sizes.values())) <= max_bytes:
                for array in sizes:
                    _check_array(inner, array)
            return total
    return 0


def _check_array(archive: zipfile.ZipFile, name: str) -> None:
    with archive.open(name) as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        start = file.tell()
    n_items = 1
    for length in shape:  # Python's integers do not overflow
        n_items *= length
    if (
        dtype.hasobject
        or min(shape, default=0) < 0
        or start + n_items * dtype.itemsize != archive.getinfo(name).file_size
    ):
        raise PayloadError(f"the array {name} does not agree with its header")


class _Schema:
    """Walks the schema once: every node is literal, so that skops' own walks are no longer than the text."""

    def __init__(self, sizes: dict[str, int], max_bytes: int):
        self.sizes, self.max_bytes = sizes, max_bytes
        self.n_read = 0
        self.n_below: dict[Any, int | None] = {}  # nodes in the subtree of each id; None while inside it
        self.kind: dict[Any, tuple[Any, ...]] = {}  # loader, module and class of each id
        self.key_lists: set[Any] = set()  # ids of lists of key types

    def check(self, schema: Any) -> None:
        """Refuse references that fan out, entries read too often, and values that make constructors run without end."""
        if not isinstance(schema, dict):
            raise PayloadError("the schema is not a JSON object")
        if not isinstance(schema.get("protocol"), int) or schema["protocol"] < PROTOCOL:
            raise PayloadError("the schema has a protocol that truepath does not write")
        self._count(schema)

    def _count(self, value: Any) -> int:
        """Return the number of nodes in a part of the schema."""
        if isinstance(value, list):
            return sum(map(self._count, value))
        if not isinstance(value, dict):
            return 0
        if "__loader__" not in value and "__id__" not in value:
            return sum(map(self._count, value.values()))
        self._check_node(value)
        return self._count_node(value)

    def _count_node(self, node: dict[str, Any]) -> int:
        """Count a node; where an id comes again, it must be as large as before: no reference hides a large subtree."""
        number = node.get("__id__")
        if isinstance(number, (list, dict)):
            raise PayloadError("an id is not a number")
        before = self.n_below.get(number, 0) if number is not None else 0
        if before is None:
            raise PayloadError("an object contains itself")
        if number is not None:
            self.n_below[number] = None
            kind = node.get("__loader__"), node.get("__module__"), node.get("__class__")
            if self.kind.setdefault(number, kind) != kind:
                raise PayloadError("a reference points to an object of another type")
        size = 1 + sum(self._count(part) for part in node.values())
        if before not in (0, size):
            raise PayloadError("a reference points to an object of another size")
        if number is not None:
            self.n_below[number] = size
        return size

    def _check_node(self, node: dict[str, Any]) -> None:
        loader = node.get("__loader__")
        if not all(isinstance(node.get(key), str) for key in ("__loader__", "__module__", "__class__")):
            raise PayloadError("an object without loader, module or class")
        if loader in _READERS and "file" in node:
            self.n_read += self.sizes.get(node["file"], 0) if isinstance(node["file"], str) else 0
            _check_total(self.n_read, self.max_bytes)
        if loader == "NdArrayNode" and node["__class__"] not in SCALARS:
            raise PayloadError(f"an array that would become a {node['__class__'][:40]!r}")
        if loader == "DictNode":
            self._check_key_types(node.get("key_types"))
        if loader == "RandomGeneratorNode":
            for pool in _find(node.get("content"), "pool_size"):
                _check_pool(pool)

    def _check_key_types(self, node: Any) -> None:
        """Refuse types that do more than make a plain value of a text, here or where the id was used before."""
        is_list = isinstance(node, dict) and node.get("__loader__") == "ListNode" and _name(node) == "builtins.list"
        number = node.get("__id__") if is_list else None
        if not is_list or isinstance(number, (list, dict)) or (number in self.n_below and number not in self.key_lists):
            raise PayloadError("a mapping does not list the types of its keys")
        self.key_lists.add(number)
        for part in node["content"]:
            if part.get("__loader__") != "TypeNode" or _name(part) not in KEY_TYPES:
                raise PayloadError(f"a mapping has keys of type {_name(part)[:80]!r}")


def _name(node: dict[str, Any]) -> str:
    return f"{node.get('__module__')}.{node.get('__class__')}"


def _check_pool(pool: Any) -> None:
    size = json.loads(pool["content"]) if isinstance(pool, dict) and isinstance(pool.get("content"), str) else None
    if not isinstance(size, int) or not 0 < size <= MAX_POOL:
        raise PayloadError("a random generator with an impossible seed")


def _find(value: Any, key: str) -> Iterator[Any]:
    """Yield the values of ``key`` anywhere below."""
    for name, part in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if name == key:
            yield part
        yield from _find(part, key)
