"""Readers, generators and the :class:`Dataset` record. Nothing here learns, imputes or scales.

A reader returns the file as it is: sizes from the file, categorical columns as codes with their declared values kept,
missing values as NaN, labels closed under ancestors.
"""

from truepath.data.bundled.toy import toy_hierarchy
from truepath.data.dataset import Dataset
from truepath.data.describe import Description
from truepath.data.fetch.benchmark import fetch_benchmark
from truepath.data.fetch.sources import Benchmark, list_benchmarks
from truepath.data.fetch.wordnet import make_wordnet
from truepath.data.full_paths import has_full_paths, keep_full_paths
from truepath.data.generate import make_hierarchy, make_hmc
from truepath.data.hierarchies.base import read_hierarchy
from truepath.data.hierarchies.edges import read_edges
from truepath.data.named import data_home, list_datasets, load_dataset
from truepath.data.ontology import make_ontology_like
from truepath.data.open import open_dataset
from truepath.data.readers.arff.clus import read_clus_arff
from truepath.data.readers.arff.meka import read_meka
from truepath.data.readers.arff.mulan import read_mulan
from truepath.data.readers.arrays import read_arrays_with_labels
from truepath.data.readers.base import Reader
from truepath.data.readers.label_paths import read_paths_csv
from truepath.data.readers.libsvm import read_libsvm
from truepath.data.readers.xmc import read_xmc
from truepath.data.split import Split, stratified_folds
from truepath.data.tables.label_sets import read_label_list, read_label_sets, read_label_shares
from truepath.data.tables.labels import LabelTable, read_labels, write_labels
from truepath.data.tables.row_ids import match_rows
from truepath.data.tables.scores import ScoreTable, read_scores, write_scores
from truepath.public import publish

__all__ = [
    "Benchmark",
    "Dataset",
    "Description",
    "LabelTable",
    "Reader",
    "ScoreTable",
    "Split",
    "data_home",
    "fetch_benchmark",
    "has_full_paths",
    "keep_full_paths",
    "list_benchmarks",
    "list_datasets",
    "load_dataset",
    "make_hierarchy",
    "make_hmc",
    "make_ontology_like",
    "make_wordnet",
    "match_rows",
    "open_dataset",
    "read_arrays_with_labels",
    "read_clus_arff",
    "read_edges",
    "read_hierarchy",
    "read_label_list",
    "read_label_sets",
    "read_label_shares",
    "read_labels",
    "read_libsvm",
    "read_meka",
    "read_mulan",
    "read_paths_csv",
    "read_scores",
    "read_xmc",
    "stratified_folds",
    "toy_hierarchy",
    "write_labels",
    "write_scores",
]

publish(__name__, __all__, globals())
