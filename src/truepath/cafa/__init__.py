"""Gene function: ontologies with aspects, annotations, evaluation as CAFA does it, baselines and submissions."""

from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.ontology.read import read_ontology
from truepath.cafa.ontology.resolve import Resolved
from truepath.public import publish

__all__ = ["Ontology", "Resolved", "read_ontology"]

publish(__name__, __all__, globals())
