"""Hierarchies as others save them: JSON in the shapes that ``Hierarchy.from_dict`` takes, and OBO ontologies."""

from __future__ import annotations

from os import fspath
from pathlib import Path

from truepath.data.hierarchies.base import HierarchyReader
from truepath.errors import DataFormatError, HierarchyError
from truepath.files.limits import Limits
from truepath.files.text import read_text
from truepath.hierarchy import Hierarchy


class JSON(HierarchyReader):
    """JSON files, of ``Hierarchy.to_json`` or of others."""

    name = "json"
    summary = "nested objects, name and children, child to parent(s), node-link, or what Hierarchy.to_json wrote"
    endings = (".json",)

    @staticmethod
    def read(path: Path, sep: str | None, root: str | None, limits: Limits, header: bool | None = None) -> Hierarchy:
        """Read the text."""
        try:
            return Hierarchy.from_json(read_text(path, limits), sep=sep or "/", root=root)
        except HierarchyError as problem:
            raise DataFormatError(problem.problem, fspath(path), remedy=problem.remedy) from None


class OBO(HierarchyReader):
    """Ontologies."""

    name = "obo"
    summary = "an ontology"
    endings = (".obo",)

    @staticmethod
    def read(path: Path, sep: str | None, root: str | None, limits: Limits, header: bool | None = None) -> Hierarchy:
        """Read the terms and their relations."""
        return Hierarchy.from_obo(path, limits=limits)
