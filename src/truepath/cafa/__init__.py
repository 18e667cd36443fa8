"""Gene function: ontologies with aspects, annotations, evaluation as CAFA does it, baselines and submissions."""

from truepath.cafa.accretion import information_accretion, read_accretion, write_accretion
from truepath.cafa.annotations.annotations import Annotations, Coded
from truepath.cafa.annotations.evidence import EVIDENCE_GROUPS, evidence_codes
from truepath.cafa.annotations.read import read_annotations, read_gene_products
from truepath.cafa.evaluation.curves import AspectCurve
from truepath.cafa.evaluation.evaluate import evaluate_predictions
from truepath.cafa.evaluation.results import Evaluation, write_evaluations
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.ontology.read import read_ontology
from truepath.cafa.ontology.resolve import Resolved
from truepath.cafa.tables.long import LongTable, read_long_table
from truepath.cafa.tables.problems import BadLine, Problems
from truepath.public import publish

__all__ = [
    "EVIDENCE_GROUPS",
    "Annotations",
    "AspectCurve",
    "BadLine",
    "Coded",
    "Evaluation",
    "LongTable",
    "Ontology",
    "Problems",
    "Resolved",
    "evaluate_predictions",
    "evidence_codes",
    "information_accretion",
    "read_accretion",
    "read_annotations",
    "read_gene_products",
    "read_long_table",
    "read_ontology",
    "write_accretion",
    "write_evaluations",
]

publish(__name__, __all__, globals())
