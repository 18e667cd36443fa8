"""Gene function: ontologies with aspects, annotations, evaluation as CAFA does it, baselines and submissions."""

from truepath.cafa.accretion import information_accretion, read_accretion, write_accretion
from truepath.cafa.annotations.annotations import Annotations
from truepath.cafa.annotations.evidence import evidence_codes
from truepath.cafa.annotations.read import read_annotations, read_gene_products
from truepath.cafa.baselines.naive import predict_naively
from truepath.cafa.baselines.similarities import find_similar, read_hits
from truepath.cafa.baselines.transfer import predict_by_transfer
from truepath.cafa.blending import learn_blend
from truepath.cafa.cutoffs import find_cutoffs
from truepath.cafa.evaluation.evaluate import evaluate_predictions
from truepath.cafa.evaluation.page import write_evaluation_report
from truepath.cafa.evaluation.plots import plot_evaluations
from truepath.cafa.evaluation.results import Evaluation, write_evaluations
from truepath.cafa.made import make_function_data
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.ontology.read import read_ontology
from truepath.cafa.predictions import Predictions, write_long_table
from truepath.cafa.submission.check import check_submission
from truepath.cafa.submission.rules import SubmissionRules
from truepath.cafa.submission.write import prepare_submission, write_submission
from truepath.cafa.tables.long import LongTable, read_long_table
from truepath.cafa.training.embeddings import Embeddings, read_embeddings
from truepath.cafa.training.models import load_models, train_models
from truepath.public import publish

__all__ = [
    "Annotations",
    "Embeddings",
    "Evaluation",
    "LongTable",
    "Ontology",
    "Predictions",
    "SubmissionRules",
    "check_submission",
    "evaluate_predictions",
    "evidence_codes",
    "find_cutoffs",
    "find_similar",
    "information_accretion",
    "learn_blend",
    "load_models",
    "make_function_data",
    "plot_evaluations",
    "predict_by_transfer",
    "predict_naively",
    "prepare_submission",
    "read_accretion",
    "read_annotations",
    "read_embeddings",
    "read_gene_products",
    "read_hits",
    "read_long_table",
    "read_ontology",
    "train_models",
    "write_accretion",
    "write_evaluation_report",
    "write_evaluations",
    "write_long_table",
    "write_submission",
]

publish(__name__, __all__, globals())
