"""Files of any length through a fitted classifier: rows are read, predicted and written a block at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np

from truepath.adapters.blocks import choose_batch_size, row_ranges
from truepath.classifier.blocks import table_rows
from truepath.classifier.place import check_allowed
from truepath.classifier.top_search import check_top, top_levels
from truepath.data.open import open_dataset, reader_of
from truepath.data.readers.base import split_files
from truepath.data.tables.frames import FOUND_OUT, TableForm
from truepath.data.tables.scores import write_scores
from truepath.data.tables.sinks import UniqueIds, open_label_sink, open_score_sink, open_top_sink
from truepath.data.tables.streams import stream_columns
from truepath.decoders import Threshold
from truepath.english import did_you_mean
from truepath.errors import CellError, TruePathError
from truepath.files.names import PathType, ending_of
from truepath.hierarchy import AllowedLabels
from truepath.parameters import Range, check_in

if TYPE_CHECKING:
    from truepath.classifier.fitted_on import FittedOn
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier

#: Cells of a file are strings until they are features: one takes as much as this many numbers
CELL = 10
#: Rows of a file that are in memory at a time, at most
MOST_ROWS = 1 << 14


class RowBlock(NamedTuple):
    """Some rows of a file as the classifier takes them, the number of the first, their ids if there are any.

    ``id_name`` is what the column of ids is called; ``keep`` are the names of columns that come along, and ``kept``
    their cells; ``keys`` are those of a column that says which labels are allowed.
    """

    X: Any
    start: int
    ids: list[str] | None
    id_name: str = "id"
    keep: tuple[str, ...] = ()
    kept: tuple[Any, ...] = ()
    keys: list[str] | None = None

    @property
    def names(self) -> list[str]:
        """The ids, or the numbers of the rows."""
        return self.ids if self.ids is not None else [str(self.start + i) for i in range(len(self))]

    def allow(self, allowed: AllowedLabels | None) -> Any:
        """Return the labels that these rows may have, where their keys say it."""
        return allowed if allowed is None or self.keys is None else allowed.with_keys(self.keys)

    def take(self, i: int) -> tuple[str, Any]:
        """Return what a row is called, and the row as the classifier takes it."""
        name = self.ids[i] if self.ids is not None else f"row {self.start + i}"
        return name, self.X[i] if self.X.ndim == 1 else self.X[i : i + 1]

    def __len__(self) -> int:
        return int(self.X.shape[0])


def predict_file(
    model: HierarchicalClassifier,
    data: PathType,
    output: PathType | TextIO,
    *,
    scores: PathType | None = None,
    top: int | None = None,
    per: str = "row",
    among: str = "all",
    long: bool = False,
    keep: Sequence[str] | str = (),
    matrix: bool = False,
    threshold: float | None = None,
    probabilities: bool = False,
    allowed: Any = None,
    priors: Any = None,
    format: str | None = None,
    safe_csv: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    batch_size: int | None = None,
    on_progress: Callable[[int, int | None, str], None] | None = None,
) -> int:
    r"""Write the labels of all rows of a file; memory does not grow with their number.

    Parameters
    ----------
    model : HierarchicalClassifier
        Fitted on a table or a data set, as :func:`truepath.workflow.fit_dataset` does.
    data : path or str
        A CSV, TSV or Parquet file, which is read some rows at a time; or any other table or data set, which is read
        whole.
    output : path or text stream
        ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` or ``.parquet``; a file appears when it is whole.
    scores : path, optional
        Also write the scores of all labels there: ``.csv``, ``.tsv``, ``.parquet``, or ``.npz``, which is collected in
        memory.
    top, per, among
        Write the ``top`` best labels with their probabilities instead of label sets, see
        :meth:`HierarchicalClassifier.predict_top`.
    long : bool, default=False
        Of the best labels, whether each is a line of its own instead of a pair of columns.
    keep : sequence of str, or "all", default=()
        Columns of the input to write between the ids and the labels; one that is called like a new column gets
        ``_given`` behind its name.
    threshold : float, optional
        Labels are those with a score above this, with all labels above them, instead of what the decoder decides.
    probabilities : bool, default=False
        Whether to write the scores of the labels of each row beside them, in the same order. They are probabilities
        where the model is calibrated.
    allowed : str, names or AllowedLabels, optional
        The labels that may be predicted, see :meth:`HierarchicalClassifier.predict_proba`: the same for all rows, or by
        a column of the file, ``AllowedLabels(table, by=column)``.
    priors : array or mapping of names to shares, optional
        The shares of labels among the rows, see :meth:`HierarchicalClassifier.predict_proba`.
    matrix, format, safe_csv
        As for :func:`truepath.data.write_labels`.
    delimiter, encoding, sheet : str, optional
        Of a text file, and of a workbook; see :func:`truepath.data.read_scores`.
    batch_size : int, optional
        Rows that are in memory at a time; by default 16,384, fewer where rows are wide.
    on_progress : callable, optional
        Called with the rows done, None, and the speed in words after every block.

    Returns
    -------
    n_rows : int

    Examples
    --------
    >>> import sys, tempfile, pathlib
    >>> from truepath.classifier import predict_file
    >>> from truepath.workflow import fit_dataset, open_training
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> rows = "".join(f"{i},{'a/1' if i % 2 else 'b'}\n" for i in range(20))
    >>> _ = (folder / "train.csv").write_text("x,labels\n" + rows.replace(",a", "0,a"))
    >>> model = fit_dataset(open_training(folder / "train.csv"), test_share=0).model
    >>> _ = (folder / "new.csv").write_text("x\n190\n2\n")
    >>> predict_file(model, folder / "new.csv", sys.stdout)
    id,labels
    0,a/1
    1,b
    2
    """
    _check_content(top, per, among, long, matrix)
    _check_labels(top, threshold, probabilities)
    form = TableForm.of(delimiter, encoding, sheet)
    given = None if allowed is None else AllowedLabels.of(allowed)
    by = None if given is None else given.by
    if given is not None:
        check_allowed(model, given)
    blocks = read_row_blocks(data, model.fitted_on_, model.hierarchy_.n_nodes, batch_size, form, keep, by)
    known, n_rows, begun = UniqueIds(), 0, time.perf_counter()
    first = next(blocks)
    with ExitStack() as files:
        common: dict[str, Any] = {"safe_csv": safe_csv, "id_name": first.id_name}
        options: dict[str, Any] = {"keep": first.keep, "format": format, **common}
        if top is None:
            predict: Callable[..., Any] = partial(_label, model, threshold, probabilities)
            options |= {"matrix": matrix, "probabilities": probabilities}
            write = files.enter_context(open_label_sink(output, model.hierarchy_, **options))
        else:
            predict = partial(model.predict_top, k=top, per=per, among=among)
            levels = top_levels(model.hierarchy_, top, per).tolist()
            write = files.enter_context(open_top_sink(output, levels, long=long, **options))
        score_block = files.enter_context(_score_sink(scores, model, common))
        for block in chain([first], blocks):
            if block.ids is not None:
                known.add(block.ids)
            place = {"allowed": block.allow(given), "priors": priors}
            try:
                found = predict(block.X, **place)
            except CellError as error:
                raise error.moved(n_rows, model.fitted_on_.columns) from None
            if probabilities:
                write(found[0], block.names, block.kept, found[1])
            else:
                write(found, block.names, block.kept)
            score_block(block, place)
            n_rows += len(block)
            if on_progress is not None:
                on_progress(n_rows, None, f"{n_rows / (time.perf_counter() - begun):,.0f} rows/s")
    return n_rows


def _check_content(top: int | None, per: str, among: str, long: bool, matrix: bool) -> None:
    """Refuse what does not go together: label sets are written, or the best labels of each row."""
    if top is not None:
        check_top(top, per, among)
        if matrix:
            raise TruePathError("a matrix has all labels; leave out matrix, or top.")
    elif long or per != "row" or among != "all":
        raise TruePathError("long, per and among are about the best labels; give top, the number of them.")


def _check_labels(top: int | None, threshold: float | None, probabilities: bool) -> None:
    """Refuse options of label sets where the best labels are written, and what cannot be a threshold."""
    if threshold is not None:
        check_in("threshold", threshold, Range(Real, 0, 1))
    if top is not None and (threshold is not None or probabilities):
        problem = "threshold and probabilities (--threshold, --probabilities) are about label sets"
        raise TruePathError(f"{problem}; the best labels have probabilities anyway.", "Leave them out, or top (--top).")


def _label(model: HierarchicalClassifier, threshold: float | None, probabilities: bool, X: Any, **place: Any) -> Any:
    """Return the label sets of rows, by a threshold if one is given, and their scores if these are wanted."""
    if threshold is None:
        return model.label_and_score(X, **place) if probabilities else model.predict(X, **place)
    S = model.predict_proba(X, **place)
    Y = Threshold(threshold, hierarchy=model.hierarchy_, coherent="max-up").predict(S)
    return (Y, S) if probabilities else Y


@contextmanager
def _score_sink(path: PathType | None, model: HierarchicalClassifier, options: dict[str, Any]) -> Iterator[Any]:
    """Yield a function that writes the scores of a block, if they are wanted."""
    if path is None:
        yield lambda block, place: None
    elif ending_of(path) == ".npz":
        parts: list[tuple[Any, list[str]]] = []
        yield lambda block, place: parts.append((model.predict_proba(block.X, **place), block.names))
        ids = [name for _, names in parts for name in names]
        write_scores(path, np.concatenate([S for S, _ in parts]), model.hierarchy_, ids=ids)
    else:
        with open_score_sink(path, model.hierarchy_, **options) as write:
            yield lambda block, place: write(model.predict_proba(block.X, **place), block.names)


def read_row_blocks(
    data: PathType,
    fitted_on: FittedOn,
    n_nodes: int,
    batch_size: int | None = None,
    form: TableForm = FOUND_OUT,
    keep: Sequence[str] | str = (),
    by: str | None = None,
) -> Iterator[RowBlock]:
    """Yield the rows to predict, read as the training data were; parameters as for :func:`predict_file`."""
    reader = reader_of(data)
    is_table = reader is not None and reader.columns is not None
    if not is_table:  # of a table each file is looked at
        form.check_sheet(data)
    if is_table and fitted_on.kind != "table":
        how = f"on the data set {fitted_on.name!r}" if fitted_on.kind == "dataset" else "in Python"
        raise TruePathError(
            f"the model was fitted {how}, not on a table, so its feature columns are not known; "
            "give it a data set of the same kind, or predict in Python."
        )
    if not is_table and fitted_on.kind == "table":
        raise TruePathError(
            f"the model was fitted on a table with the columns {', '.join(map(repr, fitted_on.columns[:8]))}; "
            f"give it a table (CSV, TSV, .xlsx, .jsonl, Parquet) with these columns."
        )
    cells = CELL * len(fitted_on.columns) if is_table else 0
    size = choose_batch_size(batch_size, n_nodes, cells, MOST_ROWS)
    if keep and not is_table:
        raise TruePathError("only columns of a table can be kept.", "Leave out keep.")
    if by is not None and not (is_table and isinstance(by, str)):
        raise TruePathError(
            "allowed labels by row (by) are found by a column of a table.", "Give one set for all rows."
        )
    if reader is not None and reader.rows is not None:
        rows = reader.rows(data)
        return _matrix_blocks(rows.X, rows.ids, size)
    return _table_blocks(data, fitted_on, size, form, keep, by) if is_table else _dataset_blocks(data, size)


def _table_blocks(
    data: PathType, fitted_on: FittedOn, size: int, form: TableForm, keep: Sequence[str] | str, by: str | None = None
) -> Iterator[RowBlock]:
    """Yield the columns that the model was fitted on; of a folder of splits the test part, or the first."""
    files = split_files(Path(data)) if Path(data).is_dir() else {}
    start = 0
    for table in stream_columns(files.get("test", next(iter(files.values()), data)), size, form):
        called = fitted_on.ids if fitted_on.ids in table.names else None
        ids = None if called is None else table.texts(called).tolist()
        kept = tuple(name for name in table.names if name != called) if keep == "all" else tuple(keep)
        table.check(kept)
        cells = tuple(table.texts(name).tolist() for name in kept)
        if by is not None:
            table.check([by])
        keys = None if by is None else table.texts(by).tolist()
        block = RowBlock(table_rows(table, fitted_on), start, ids, called or "id", kept, cells, keys)
        yield block
        start += len(block)


def _dataset_blocks(data: PathType, size: int) -> Iterator[RowBlock]:
    """Yield the test part of a data set that is read whole, or all of its rows."""
    ds = open_dataset(data)
    part = ds["test"] if "test" in ds else ds.merge()["all"]
    yield from _matrix_blocks(part.X, part.ids, size)


def _matrix_blocks(X: Any, names: Any, size: int) -> Iterator[RowBlock]:
    """Yield the rows of a matrix."""
    ids = None if names is None else [str(name) for name in names]
    for rows in row_ranges(X.shape[0], size):
        yield RowBlock(X[rows], rows.start, None if ids is None else ids[rows])


def find_row(
    model: HierarchicalClassifier,
    data: PathType,
    row: str,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> tuple[str, Any]:
    """Return one row of a file as the model takes it, for :meth:`HierarchicalClassifier.explain`, and its name.

    Parameters
    ----------
    model : HierarchicalClassifier
        Fitted on a table or a data set.
    data, delimiter, encoding, sheet
        As for :func:`predict_file`.
    row : str
        The id of the row, or else its number from 0.
    """
    number = int(row) if row.isdecimal() else -1
    known: list[str] = []
    by_number = None
    form = TableForm.of(delimiter, encoding, sheet)
    for block in read_row_blocks(data, model.fitted_on_, model.hierarchy_.n_nodes, form=form):
        known += block.names
        if block.ids is not None and row in block.ids:
            return block.take(block.ids.index(row))
        if block.start <= number < block.start + len(block):
            by_number = block.take(number - block.start)
    if by_number is None:
        raise _no_row(row, known, model.fitted_on_.ids)
    return by_number


def _no_row(row: str, known: list[str], ids: str | None) -> TruePathError:
    """Make the error for a row that is not there."""
    hint = "" if row.isdecimal() else did_you_mean(row, known)
    named = f"an id in column {ids!r}, or " if ids is not None else ""
    return TruePathError(f"the row to explain must be {named}a row from 0 to {len(known) - 1}, not {row!r}.", hint)
