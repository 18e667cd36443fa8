"""Hierarchies as others save them: what ``Hierarchy.to_json`` wrote, and ontologies in OBO form."""

from __future__ import annotations

from os import fspath
from pathlib import Path

from truepath.data.hierarchies.base import HierarchyReader
from truepath.errors import DataFormatError, HierarchyError
from truepath.files import Limits, read_text
from truepath.hierarchy import Hierarchy

__all__ = ["JSON", "OBO"]


class JSON(HierarchyReader):
    """Files of ``Hierarchy.to_json``."""

    name = "json"
    summary = "what Hierarchy.to_json wrote"
    endings = (".json",)

    @staticmethod
    def read(path: Path, sep: str, root: str | None, limits: Limits) -> Hierarchy:
        """Read the text."""
        try:
            return Hierarchy.from_json(read_text(path, limits))
        except HierarchyError as problem:
            raise DataFormatError(problem.problem, fspath(path), remedy=problem.remedy) from None


class OBO(HierarchyReader):
    """Ontologies."""

    name = "obo"
    summary = "an ontology"
    endings = (".obo",)

    @staticmethod
    def read(path: Path, sep: str, root: str | None, limits: Limits) -> Hierarchy:
        """Read the terms and their relations."""
        return Hierarchy.from_obo(path, limits=limits)
