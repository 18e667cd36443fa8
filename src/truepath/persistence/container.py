"""The envelope of a model file: what it is, what it says about the estimator inside, and a checksum over all of it.

========  ====  =======================================================================
offset    size  field
========  ====  =======================================================================
0            8  magic ``89 54 50 4D 0D 0A 1A 0A`` (as in PNG: shows mangled line ends)
8            4  format version, unsigned, little-endian
12           4  ``m``, the length of the metadata
16           8  ``p``, the length of the payload
24          32  SHA-256 of bytes 0 to 23, the metadata and the payload
56         *m*  metadata: a JSON object in UTF-8
56 + *m*   *p*  payload: a zip archive as skops writes it; the file ends here
========  ====  =======================================================================
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable
from contextlib import suppress
from datetime import timezone
from os import PathLike, fspath
from typing import Any, BinaryIO, NamedTuple

from truepath.dates import now
from truepath.errors import ModelFileError
from truepath.files.strict_json import dump_json
from truepath.files.writing import open_atomically
from truepath.hierarchy import Hierarchy
from truepath.versions import installed_versions

MAGIC = b"\x89TPM\r\n\x1a\n"


FORMAT_VERSION = 1


#: Longest metadata that is read; feature names are most of it
MAX_METADATA = 1 << 28


_HEAD = struct.Struct("<8sIIQ")


_CHECKSUM = 32


_AGAIN = "Copy or save it again."


class Model(NamedTuple):
    """The contents of a model file."""

    metadata: dict[str, Any]
    payload: bytes


def pack(metadata: bytes, payload: bytes, version: int = FORMAT_VERSION) -> list[bytes]:
    """Return the parts of the file in order: head, checksum, metadata, payload."""
    head = _HEAD.pack(MAGIC, version, len(metadata), len(payload))
    return [head, _digest(head, metadata, payload), metadata, payload]


def write_model(path: str | PathLike[str], model: Model) -> None:
    """Write the file, whole or not at all."""
    metadata = dump_json(model.metadata, ensure_ascii=False).encode("utf-8", "surrogatepass")
    with open_atomically(path) as file:
        for part in pack(metadata, model.payload):
            file.write(part)


def read_model(path: str | PathLike[str]) -> Model:
    """Read and check the whole file: magic, version, lengths and checksum, before anything of it is parsed."""
    with open(path, "rb") as file:
        head, n_metadata, n_payload = _read_head(file, path)
        checksum = file.read(_CHECKSUM)
        metadata, payload = file.read(n_metadata), file.read(n_payload)
    if _digest(head, metadata, payload) != checksum:
        raise ModelFileError("the checksum does not match: the file is damaged.", path, _AGAIN)
    return Model(_parse(metadata, path), payload)


def is_model_file(path: str | PathLike[str]) -> bool:
    """Return whether a file begins as a model file does; False if there is no such file.

    Examples
    --------
    >>> is_model_file("no such file")
    False
    """
    with suppress(OSError), open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC
    return False


def describe_model(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the metadata of a model file, without loading the model.

    Returns
    -------
    metadata : dict
        ``class`` of the estimator, ``created`` (UTC), versions ``truepath``, ``python``, ``numpy``,
        ``scipy``, ``scikit-learn``, ``numba``, ``skops``, ``hierarchy`` (``n_nodes``, ``n_edges``, ``is_tree``,
        ``height``, ``digest``, or None), ``n_features``, ``feature_names`` (or None) and ``untrusted_types``, the types
        that ``trusted`` of :func:`truepath.persistence.load` must name.

    Raises
    ------
    ModelFileError
        If the file is foreign, cut short or too new. The payload is neither read nor checked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from truepath.combiners import MaxUp
    >>> from truepath.persistence import describe_model, save
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "flat.truepath"
    >>> save(MaxUp().fit([[0.2, 0.4]]), file)
    >>> describe_model(file)["class"]
    'truepath.combiners.MaxUp'
    """
    with open(path, "rb") as file:
        _, n_metadata, _ = _read_head(file, path)
        file.seek(_CHECKSUM, 1)
        return _parse(file.read(n_metadata), path)


def _read_head(file: BinaryIO, path: str | PathLike[str]) -> tuple[bytes, int, int]:
    head = file.read(_HEAD.size)
    if not head.startswith(MAGIC):
        raise ModelFileError(_foreign(head), path, "Models are written by truepath.persistence.save.")
    if len(head) < _HEAD.size:
        raise ModelFileError("the file is cut short.", path, _AGAIN)
    _, version, n_metadata, n_payload = _HEAD.unpack(head)
    size = file.seek(0, 2)
    file.seek(_HEAD.size)
    if version > FORMAT_VERSION:
        raise ModelFileError(_too_new(file, version, n_metadata, size), path, "Upgrade truepath.")
    if version < 1:
        raise ModelFileError(f"format {version} does not exist: the file is damaged.", path, _AGAIN)
    expected = _HEAD.size + _CHECKSUM + n_metadata + n_payload
    if size != expected or n_metadata > MAX_METADATA:
        way = "cut short" if size < expected else "damaged"
        raise ModelFileError(f"the file is {way}: {size} bytes, not {expected}.", path, _AGAIN)
    return head, n_metadata, n_payload


def _foreign(head: bytes) -> str:
    """Return an error that says what the file seems to be instead of a model file."""
    hint = ""
    if head.startswith(b"PK"):
        hint = " It is a zip archive; one that skops wrote is read by skops.io.load."
    elif head[:1] == b"\x80":
        hint = " It looks like a pickle, which truepath does not read: a pickle can run any code."
    elif not head:
        hint = " It is empty."
    return f"not a model file of truepath.{hint}"


def _too_new(file: BinaryIO, version: int, n_metadata: int, size: int) -> str:
    """Name the writer if the metadata are still where this version has them."""
    writer = "a newer truepath"
    if _HEAD.size + _CHECKSUM + n_metadata <= size and n_metadata <= MAX_METADATA:
        file.seek(_HEAD.size + _CHECKSUM)
        with suppress(ValueError, KeyError, TypeError, RecursionError):  # then the layout changed as well
            writer = f"truepath {json.loads(file.read(n_metadata))['truepath']}"
    return f"written by {writer}, format {version}; this truepath reads formats up to {FORMAT_VERSION}."


def _parse(metadata: bytes, path: str | PathLike[str]) -> dict[str, Any]:
    try:
        parsed = json.loads(metadata.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise ModelFileError("the metadata are not a JSON object: the file is damaged.", fspath(path), _AGAIN)
    return parsed


def _digest(*parts: bytes) -> bytes:
    checksum = hashlib.sha256()
    for part in parts:
        checksum.update(part)
    return checksum.digest()


def describe_estimator(estimator: Any, untrusted: Iterable[str] = ()) -> dict[str, Any]:
    """Return the metadata of a fitted estimator, plain values only."""
    from truepath.adapters.prepare import find_hierarchy  # late: hierarchies of models are read without learners

    cls, hierarchy = type(estimator), find_hierarchy(estimator)
    n_features = getattr(estimator, "n_features_in_", None)
    names = getattr(estimator, "feature_names_in_", None)
    return {
        "class": f"{cls.__module__}.{cls.__qualname__}",
        "created": now().astimezone(timezone.utc).isoformat(timespec="seconds"),
        **installed_versions(),
        "hierarchy": None if hierarchy is None else describe_hierarchy(hierarchy),
        "n_features": None if n_features is None else int(n_features),
        "feature_names": None if names is None else [str(name) for name in names],
        "untrusted_types": sorted(untrusted),
    }


def describe_hierarchy(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the size of a hierarchy, and a digest of its names and edges to compare it by.

    Examples
    --------
    >>> found = describe_hierarchy(Hierarchy.from_paths(["a/1", "a/2"]))
    >>> found["n_nodes"], found["is_tree"], len(found["digest"])
    (3, True, 64)
    """
    return {
        "n_nodes": hierarchy.n_nodes,
        "n_edges": hierarchy.n_edges,
        "is_tree": hierarchy.is_tree,
        "height": hierarchy.height,
        "digest": hashlib.sha256(hierarchy.to_json().encode("utf-8", "surrogatepass")).hexdigest(),
    }


def differing_versions(metadata: dict[str, Any]) -> tuple[str, str]:
    """Return the versions that differ, those of the file and those installed, as texts; empty if all are the same.

    Examples
    --------
    >>> differing_versions(installed_versions())
    ('', '')
    >>> differing_versions({**installed_versions(), "numpy": "1.0", "python": "2.7"})  # doctest: +ELLIPSIS
    ('python 2.7, numpy 1.0', 'python 3..., numpy ...')
    """
    here = installed_versions()
    differ = [name for name in here if metadata.get(name) != here[name]]
    return _listed(differ, metadata), _listed(differ, here)


def _listed(names: list[str], versions: dict[str, Any]) -> str:
    """Name the versions in one line, whatever the file claims them to be."""
    return ", ".join(f"{name} {' '.join(str(versions.get(name) or 'unknown').split())[:40]}" for name in names)
