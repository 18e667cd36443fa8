"""What the commands are given: data sets by name, ARFF files, tables of texts or columns; and new rows to predict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truepath.data import Dataset

__all__ = ["is_table", "open_dataset", "open_rows", "open_training"]

_TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq")
_PACKED = (".xz", ".gz", ".bz2")


def is_table(data: str) -> bool:
    """Say whether a name is that of a table with columns: CSV, TSV or Parquet."""
    name = data.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return name.endswith(_TABLES)


def open_dataset(data: str) -> Dataset:
    """Load a data set by file if there is one of that name, else by name."""
    from truepath.data import load_dataset, read_clus_arff

    return read_clus_arff(data) if Path(data).is_file() else load_dataset(data)


def open_training(
    data: str,
    *,
    labels: str | None = None,
    text: str | None = None,
    ids: str | None = None,
    split: str | None = None,
    sep: str = "/",
    between: str = ";",
    hierarchy: str | None = None,
) -> tuple[Dataset, dict[str, Any]]:
    """Open data to learn from; return them and what is to be remembered to read new rows the same way."""
    from truepath.data import read_hierarchy, read_paths_csv

    if not is_table(data):
        ds = open_dataset(data)
        return ds, {"kind": "dataset", "name": ds.name, "n_features": ds.n_features}
    given = None if hierarchy is None else read_hierarchy(hierarchy, sep=sep)
    columns = (labels or "labels").split(",")
    ds = read_paths_csv(
        data,
        columns[0] if len(columns) == 1 else columns,
        sep=sep,
        between=between,
        text=text,
        ids=ids,
        split=split,
        cells=True,
        hierarchy=given,
    )
    return ds, {"kind": "table", "text": text, "features": list(ds.feature_names), "ids": ids}


def open_rows(data: str, remembered: dict[str, Any]) -> tuple[Any, list[str] | None]:
    """Return X and the names of the rows to predict, read as the training data were."""
    from truepath.data.tables.frames import read_columns
    from truepath.errors import TruePathError

    if is_table(data):
        if remembered.get("kind") != "table":
            how = f"on the data set {remembered['name']!r}" if remembered else "in Python"
            raise TruePathError(
                f"the model was fitted {how}, not on a table, so it is not known which columns are its features; "
                "give it a data set of the same kind, or predict in Python."
            )
        table = read_columns(data)
        table.check(remembered["features"])
        ids = remembered.get("ids")
        names = table.texts(ids).tolist() if ids is not None and ids in table.names else None
        text = remembered.get("text")
        return table.cells(remembered["features"]) if text is None else table.texts(text), names
    if remembered.get("kind") == "table":
        raise TruePathError(
            f"the model was fitted on a table with the columns {', '.join(map(repr, remembered['features'][:8]))}; "
            f"give it a CSV, TSV or Parquet file with these."
        )
    ds = open_dataset(data)
    part = ds["test"] if "test" in ds else ds.merge()["all"]
    return part.X, None if part.ids is None else [str(name) for name in part.ids]
