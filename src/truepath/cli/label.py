"""``truepath label``: label sets from any model's scores."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.strategies import COHERENT, STRATEGIES, choose
from truepath.errors import ConstraintError, TruePathError

if TYPE_CHECKING:
    from truepath.data import LabelTable, ScoreTable
    from truepath.decoders import Decoder
    from truepath.hierarchy import Hierarchy

__all__ = ["label"]

#: Rows are labelled in blocks of about this many scores, so that the bar moves
CELLS_AT_A_TIME = 1 << 20
_STRATEGIES = "; ".join(f"{name}: {strategy.about}" for name, strategy in STRATEGIES.items())


def label(
    scores: Annotated[
        Path, typer.Argument(help="Scores: CSV or TSV (a line of label names first), Parquet, npy, npz.")
    ],
    hierarchy: Annotated[
        str,
        typer.Option(
            "--hierarchy", "-H", help="Edges (csv, tsv, edges), paths (txt), json, obo, arff, or a data set's name."
        ),
    ],
    strategy: Annotated[str, typer.Option("--strategy", "-s", help=f"{_STRATEGIES}.")] = "threshold",
    threshold: Annotated[float | None, typer.Option(help="For threshold: label what scores above this (0.5).")] = None,
    objective: Annotated[
        str | None, typer.Option(help="For single and multi: micro_f1 (default), h_loss, hmc_loss, class_distribution.")
    ] = None,
    k: Annotated[str | None, typer.Option("--k", help="Number of leaves, or 'metalabeler'.")] = None,
    alpha: Annotated[
        str | None, typer.Option(help="For masr and exact-risk: importance of a missed label, or 'balanced' (default).")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="True labels of the same rows, to learn thresholds from (optimistic).")
    ] = None,
    valid_scores: Annotated[
        Path | None, typer.Option(help="Scores of held-out rows, to learn thresholds from.")
    ] = None,
    valid_truth: Annotated[Path | None, typer.Option(help="True labels of those held-out rows.")] = None,
    coherent: Annotated[
        str, typer.Option(help=f"Scores above their parents': error, or mend by {', '.join(COHERENT)}.")
    ] = "error",
    ids: Annotated[str | None, typer.Option(help="The column of row names, if not the first.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; stdout by default.")] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="csv, tsv, json or parquet; by default what OUTPUT ends in.")
    ] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Write 0/1 columns instead of the most specific labels.")
    ] = False,
) -> None:
    """Turn scores into label sets that respect the hierarchy, whichever model they come from."""
    from truepath.cli.progress import progress
    from truepath.data import read_hierarchy, read_scores, write_labels
    from truepath.data.tables.write import find_format

    chosen, options = choose(strategy, {"threshold": threshold, "objective": objective, "k": k, "alpha": alpha})
    find_format("-.csv" if output is None else output, form)  # before the work, not after it
    if coherent != "error" and coherent not in COHERENT:
        raise TruePathError(f"--coherent must be error or one of {', '.join(COHERENT)}; got {coherent!r}.")
    with progress("labelling") as advance:
        advance(0, note=f"reading {scores.name}")
        tree = read_hierarchy(hierarchy)
        table = read_scores(scores, tree, ids=ids)
        held_out = _learn_from(table, tree, ids, truth, valid_scores, valid_truth)
        decoder = chosen.make(tree, options)
        wanted = chosen.wants_coherent
        advance(0, note="learning", total=table.S.shape[0])
        S = _mend(table.S, tree, coherent, wanted, table.path)
        _fit(decoder, S, held_out, chosen.needs_truth(options), strategy, (tree, coherent, wanted))
        Y = _predict(decoder, S, advance)
    write_labels(sys.stdout if output is None else output, Y, tree, ids=table.ids, matrix=matrix, format=form)
    _remark(Y, decoder, output)


def _learn_from(
    table: ScoreTable,
    hierarchy: Hierarchy,
    ids: str | None,
    truth: Path | None,
    scores: Path | None,
    labels: Path | None,
) -> tuple[ScoreTable, LabelTable] | None:
    """Read what there is to learn from: scores and the true labels of the same rows."""
    from dataclasses import replace

    from truepath.data import match_rows, read_labels, read_scores

    if truth is not None and (scores is not None or labels is not None):
        raise TruePathError("--truth and --valid-scores/--valid-truth exclude each other: learn from one set of rows.")
    if (scores is None) != (labels is None):
        raise TruePathError("--valid-scores and --valid-truth belong together: give both.")
    source = truth if truth is not None else labels
    if source is None:
        return None
    if truth is not None:
        typer.echo("truepath: learning from the rows that are labelled is optimistic; prefer --valid-scores.", err=True)
    given = table if scores is None else read_scores(scores, hierarchy, ids=ids)
    true = read_labels(source, hierarchy)
    if given.ids is not None and true.ids is not None:
        rows = match_rows(given.ids, true.ids, what=f"{source}: the true labels")
        true = replace(true, y=true.y[rows], ids=given.ids)
    if true.y.shape[0] != given.S.shape[0]:
        raise TruePathError(
            f"{source} has {true.y.shape[0]} rows, {given.path} has {given.S.shape[0]}: they must be the same."
        )
    return given, true


def _mend(S: Any, hierarchy: Hierarchy, coherent: str, wanted: bool, path: str) -> Any:
    """Return coherent scores, or say which are not and what to do."""
    from truepath import combiners
    from truepath.hierarchy import check_scores

    if coherent != "error":
        return getattr(combiners, COHERENT[coherent])(hierarchy=hierarchy).fit(S).transform(S)
    try:
        return check_scores(S, hierarchy, name=path, coherent=wanted)
    except ConstraintError as problem:
        found = str(problem).partition(" Make it coherent")[0]
        raise ConstraintError(
            f"{found} Add --coherent max-up (or {', '.join(list(COHERENT)[1:])}) to mend them."
        ) from None


def _fit(
    decoder: Decoder, S: Any, held_out: Any, needs_truth: bool, strategy: str, mend: tuple[Any, str, bool]
) -> None:
    """Fit the decoder: on held-out scores where it learns, otherwise to the hierarchy alone."""
    if held_out is None and needs_truth:
        raise TruePathError(
            f"--strategy {strategy} learns from true labels: give --valid-scores and --valid-truth (or --truth). "
            "Without any, use threshold, mas, exact or best-path."
        )
    if held_out is None:
        decoder.fit(S)
        return
    given, true = held_out
    decoder.fit(_mend(given.S, *mend, given.path), true.y)


def _predict(decoder: Decoder, S: Any, advance: Any) -> Any:
    """Label the rows, a block at a time."""
    from scipy import sparse

    step = max(1, CELLS_AT_A_TIME // S.shape[1])
    parts = []
    for start in range(0, S.shape[0], step):
        parts.append(sparse.csr_array(decoder.predict(S[start : start + step])))
        advance(parts[-1].shape[0], note="labelling")
    return sparse.vstack(parts, format="csr")


def _remark(Y: Any, decoder: Decoder, output: Path | None) -> None:
    """Say on stderr what was done."""
    import numpy as np

    counts = np.diff(Y.indptr)
    learned = f", threshold {decoder.threshold_:.4g}" if hasattr(decoder, "threshold_") else ""
    where = "" if output is None else f" to {output}"
    typer.echo(
        f"truepath: {Y.shape[0]} rows labelled{where}: {counts.mean():.2f} labels a row, "
        f"{int((counts == 0).sum())} rows without{learned}",
        err=True,
    )
