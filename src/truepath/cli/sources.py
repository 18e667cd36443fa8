"""What the commands are given: files, folders and names of data sets to learn from; and new rows to predict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truepath.classifier import FittedOn
    from truepath.data import Dataset

__all__ = ["open_rows", "open_training"]


def open_training(data: str, *, labels: str | None = None, **options: Any) -> tuple[Dataset, FittedOn]:
    """Open data to learn from; return them and what is to be remembered to read new rows the same way.

    ``labels`` may be several columns with commas between; options that are None count as not given.
    """
    from truepath.classifier import FittedOn
    from truepath.data import open_dataset
    from truepath.data.open import reader_of

    given = {name: value for name, value in options.items() if value is not None}
    if labels is not None:
        given["labels"] = labels.split(",") if "," in labels else labels
    reader = reader_of(data, given.get("format"), given)
    if reader is None or reader.columns is None:
        ds = open_dataset(data, **given)
        return ds, FittedOn("dataset", ds.name)
    ds = open_dataset(data, **given, cells=True)
    columns = tuple(map(str, ds.feature_names))
    return ds, FittedOn("table", ds.name, columns, given.get("text"), given.get("ids"))


def open_rows(data: str, fitted_on: FittedOn) -> tuple[Any, list[str] | None]:
    """Return X and the names of the rows to predict, read as the training data were."""
    from truepath.data import open_dataset
    from truepath.data.open import reader_of
    from truepath.errors import TruePathError

    reader = reader_of(data)
    is_table = reader is not None and reader.columns is not None
    if is_table and fitted_on.kind != "table":
        how = f"on the data set {fitted_on.name!r}" if fitted_on.kind == "dataset" else "in Python"
        raise TruePathError(
            f"the model was fitted {how}, not on a table, so it is not known which columns are its features; "
            "give it a data set of the same kind, or predict in Python."
        )
    if is_table:
        return _columns(reader.columns(_test_file(data)), fitted_on)  # type: ignore[union-attr]
    if fitted_on.kind == "table":
        raise TruePathError(
            f"the model was fitted on a table with the columns {', '.join(map(repr, fitted_on.columns[:8]))}; "
            f"give it a CSV, TSV or Parquet file with these."
        )
    ds = open_dataset(data)
    part = ds["test"] if "test" in ds else ds.merge()["all"]
    return part.X, None if part.ids is None else [str(name) for name in part.ids]


def _test_file(data: str) -> Any:
    """Return the file with the rows to predict: in a folder of splits the test part, or else the first."""
    from truepath.data.readers.assemble import split_files

    files = split_files(Path(data))
    return files.get("test", next(iter(files.values()), data))


def _columns(table: Any, fitted_on: FittedOn) -> tuple[Any, list[str] | None]:
    """Return the columns that the model was fitted on, and the names of the rows if they are there."""
    columns, ids, text = list(fitted_on.columns), fitted_on.ids, fitted_on.text
    table.check(columns)
    names = table.texts(ids).tolist() if ids is not None and ids in table.names else None
    return table.cells(columns) if text is None else table.texts(text), names
