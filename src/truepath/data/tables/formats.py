"""The formats of tables, by the endings of their names: the one list of them."""

from __future__ import annotations

from truepath.data.files import PathType, ending_of

__all__ = ["FORMATS", "TABLES", "delimiter_of", "format_of", "holds_labels"]

#: Tables with named columns
TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet"}
#: All that label sets and scores are read from
FORMATS = {**TABLES, ".json": "json", ".npy": "numpy", ".npz": "numpy"}


def format_of(path: PathType) -> str:
    """Return the format of a file by its ending; a name with no known ending is taken as CSV.

    >>> format_of("scores.tsv.gz"), format_of("scores.pq")
    ('tsv', 'parquet')
    """
    return FORMATS.get(ending_of(path), "csv")


def holds_labels(path: PathType) -> bool:
    """Say whether a name ends as a table of label sets or scores does.

    >>> holds_labels("truth.csv.gz"), holds_labels("truth.arff")
    (True, False)
    """
    return ending_of(path) in FORMATS


def delimiter_of(path: PathType) -> str:
    """Return what separates the cells of a text file."""
    return "\t" if format_of(path) == "tsv" else ","
