"""``truepath label``: label sets from any model's scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.shared.messages import say
from truepath.cli.shared.options import (
    Between,
    ByOrder,
    Delimiter,
    Encoding,
    Header,
    Ids,
    LabelFile,
    LabelFormat,
    Matrix,
    SafeCsv,
    Sep,
    Sheet,
)
from truepath.cli.shared.outputs import check_outputs
from truepath.cli.strategies import choose, corrections, learning_nothing, typed_options
from truepath.english import counted
from truepath.errors import ConstraintError, TruePathError

if TYPE_CHECKING:
    from truepath.cli.shared.progress import Show
    from truepath.data import ScoreTable
    from truepath.decoders.base import DecoderLike
    from truepath.hierarchy import Hierarchy
    from truepath.workflow import Reading


def label(
    scores: Annotated[
        Path,
        typer.Argument(
            help="Scores: csv, tsv, xlsx, jsonl or parquet with a column per label; npy, npz or h5; - for standard "
            "input."
        ),
    ],
    hierarchy: Annotated[
        str,
        typer.Option(
            "--hierarchy",
            "-H",
            help="Edges (csv, tsv, edges) or paths (txt), json, obo, arff, a saved model, or a data set's name.",
        ),
    ],
    ctx: typer.Context,
    header: Header = None,
    strategy: Annotated[
        str, typer.Option("--strategy", "-s", help="How labels are chosen: a name from the list below.")
    ] = "threshold",
    thresholds: Annotated[
        Path | None,
        typer.Option(help="Thresholds saved from a report's page: JSON with one for all labels, or one per label."),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option("--truth", "-t", help="True labels of the same rows, to learn thresholds from (optimistic)."),
    ] = None,
    valid_scores: Annotated[
        Path | None, typer.Option(help="Scores of held-out rows, to learn thresholds from.")
    ] = None,
    valid_truth: Annotated[Path | None, typer.Option(help="True labels of those held-out rows.")] = None,
    coherent: Annotated[
        str, typer.Option(help="If a score is above its parent's: error, or the name of a correction, such as max-up.")
    ] = "error",
    sep: Sep = None,
    between: Between = ";",
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    ids: Ids = None,
    by_order: ByOrder = False,
    output: LabelFile = None,
    form: LabelFormat = None,
    matrix: Matrix = False,
    safe_csv: SafeCsv = False,
) -> None:
    """Turn the scores of any model into label sets that respect the hierarchy."""
    from truepath.cli.shared.progress import progress
    from truepath.cli.shared.streams import file_or_stdout, reading_stdin, stream_of_data
    from truepath.data import read_scores, write_labels
    from truepath.data.tables.join import find_column
    from truepath.data.tables.write import find_format
    from truepath.workflow import Reading, open_hierarchy

    output = file_or_stdout(output)
    member, options = choose(strategy, typed_options(ctx))
    _check_thresholds(thresholds, strategy, options)
    _check_coherent(coherent)
    find_format("-.csv" if output is None else output, form)  # before the work, not after it
    inputs = {
        "--truth": truth,
        "--valid-scores": valid_scores,
        "--valid-truth": valid_truth,
        "--thresholds": thresholds,
    }
    check_outputs({"--output": output}, {"SCORES": scores, "--hierarchy": hierarchy, **inputs})
    with reading_stdin(scores, "SCORES") as scores, progress("labelling") as show:
        show(0, None, f"reading {scores.name}")
        tree = open_hierarchy(hierarchy, sep=sep, header=header)
        cells: dict[str, Any] = {"sep": sep, "between": between, "delimiter": delimiter, "encoding": encoding}
        reading = Reading(**cells, sheet=sheet, ids=ids, by_order=by_order, say=say)
        files = [scores, truth, valid_scores, valid_truth]
        reading.form.check_sheet(*files)
        columns = find_column(ids, files, reading.form)
        table = read_scores(scores, tree, ids=columns[scores], **reading.written(scores))
        held_out = _learn_from(table, tree, columns, reading, truth, valid_scores, valid_truth)
        decoder = member(hierarchy=tree, **options, **_saved(thresholds, tree))
        show(0, table.S.shape[0], "learning")
        correct = partial(_correct, hierarchy=tree, coherent=coherent, wanted="coherent scores" in member.needs)
        S = correct(table)
        _fit(decoder, held_out, correct, strategy)
        Y = _predict(decoder, S, show)
    named: dict[str, Any] = {} if table.ids is None else {"ids": table.ids, "id_name": table.id_name}
    how: dict[str, Any] = {**named, "between": between, "matrix": matrix, "format": form, "safe_csv": safe_csv}
    write_labels(stream_of_data() if output is None else output, Y, tree, **how)
    _remark(Y, decoder, output)


def _check_thresholds(thresholds: Path | None, strategy: str, options: dict[str, Any]) -> None:
    """Refuse a file of thresholds beside another way to choose labels."""
    if thresholds is not None and strategy != "threshold":
        raise TruePathError(f"--thresholds is for --strategy threshold; {strategy} has its own way to choose labels.")
    if thresholds is not None and "threshold" in options:
        raise TruePathError("--threshold and --thresholds exclude each other: give one of them.")


def _saved(thresholds: Path | None, hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the decoder's option that a file of thresholds stands for."""
    if thresholds is None:
        return {}
    from truepath.decoders.thresholds.saved import read_thresholds

    return {"threshold": read_thresholds(thresholds, hierarchy)}


def _learn_from(
    table: ScoreTable,
    hierarchy: Hierarchy,
    ids: dict[Any, str | None],
    reading: Reading,
    truth: Path | None,
    scores: Path | None,
    labels: Path | None,
) -> tuple[ScoreTable, Any] | None:
    """Read scores and the true labels of the same rows, to learn from."""
    from truepath.data import read_scores

    if truth is not None and (scores is not None or labels is not None):
        raise TruePathError("--truth and --valid-scores/--valid-truth exclude each other: learn from one set of rows.")
    if (scores is None) != (labels is None):
        raise TruePathError("--valid-scores and --valid-truth belong together: give both.")
    source = truth if truth is not None else labels
    if source is None:
        return None
    if truth is not None:
        say("learning from the rows that are labelled is optimistic; prefer --valid-scores.")
    given = table if scores is None else read_scores(scores, hierarchy, ids=ids[scores], **reading.written(scores))
    true = reading.read_labels(source, hierarchy, ids[source])
    return given, true.y[reading.match(given.row_keys, true.row_keys)]


def _check_coherent(name: str) -> None:
    """Refuse a name that is neither ``"error"`` nor that of a correction."""
    if name not in ("error", *corrections()):
        raise TruePathError(f"--coherent must be error or one of {', '.join(corrections())}; got {name!r}.")


def _correct(table: ScoreTable, *, hierarchy: Hierarchy, coherent: str, wanted: bool) -> Any:
    """Return a table's scores made coherent, or report which are not and what to do."""
    from truepath.hierarchy import check_scores

    if coherent != "error":
        return corrections()[coherent](hierarchy=hierarchy).transform(table.S)
    try:
        return check_scores(table.S, hierarchy, name=table.path, coherent=wanted)
    except ConstraintError as found:
        others = ", ".join(name for name in corrections() if name != "max-up")
        remedy = f"Add --coherent max-up to correct them (or {others})."
        raise ConstraintError(found.problem, remedy) from None


def _fit(decoder: DecoderLike, held_out: Any, correct: Callable[[ScoreTable], Any], strategy: str) -> None:
    """Fit a decoder that learns, on held-out scores."""
    if held_out is None and decoder.learns:
        raise TruePathError(
            f"--strategy {strategy} learns from true labels: give --valid-scores and --valid-truth (or --truth).",
            f"Without any, use {', '.join(learning_nothing())}.",
        )
    if held_out is None:
        return
    if not decoder.learns:
        say(f"{strategy} learns nothing; the true labels are not used.")
        return
    given, true = held_out
    decoder.fit(correct(given), true)


def _predict(decoder: DecoderLike, S: Any, show: Show) -> Any:
    """Label the rows one block at a time, so that the progress bar moves."""
    from scipy import sparse

    from truepath.hierarchy.matrices import row_blocks

    parts = []
    for rows in row_blocks(*S.shape):
        parts.append(sparse.csr_array(decoder.predict(S[rows])))
        show(rows.stop, S.shape[0], "labelling")
    return sparse.vstack(parts, format="csr")


def _remark(Y: Any, decoder: DecoderLike, output: Path | None) -> None:
    """Report on stderr what was done."""
    import numpy as np

    counts = np.diff(Y.indptr)
    learned = f", threshold {decoder.threshold_:.4g}" if hasattr(decoder, "threshold_") else ""
    where = "" if output is None else f" to {output}"
    typer.echo(
        f"truepath: {counted(Y.shape[0], 'row')} labelled{where}: {counts.mean():.2f} labels per row, "
        f"{counted(int((counts == 0).sum()), 'row')} without any{learned}",
        err=True,
    )
