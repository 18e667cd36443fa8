"""What the commands of gene function share: the ontology, annotations, files of predictions, tables of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.shared.kinds import DAY, NAMES
from truepath.cli.shared.options import split_names
from truepath.english import counted
from truepath.errors import TruePathError
from truepath.files.strict_json import dump_json

if TYPE_CHECKING:
    from truepath.cafa import Annotations, LongTable, Ontology

OntologyFile = Annotated[Path, typer.Option("--ontology", "-O", help="The ontology: .obo, or an OBO graph in .json.")]
Relations = Annotated[
    str, typer.Option(help="Relations that annotations are passed along, separated by commas.", parser=NAMES)
]
Truth = Annotated[Path, typer.Option("--truth", "-t", help="True annotations: target<TAB>term, GAF, GPAD or HPO.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad-lines", help="Skip bad lines with a message instead of stopping.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]
Evidence = Annotated[
    str | None,
    typer.Option(
        help="Only this evidence: groups or codes, separated by commas (experimental, cafa, IDA, ...).", parser=NAMES
    ),
]
Taxa = Annotated[
    str | None,
    typer.Option("--taxa", help="Only these taxa: NCBI numbers, such as 9606, separated by commas.", parser=NAMES),
]
Until = Annotated[
    str | None, typer.Option("--until", help="Only annotations dated until this day, such as 2024-01-31.", parser=DAY)
]


def open_ontology(path: Path, relations: str) -> Ontology:
    """Read an ontology."""
    from truepath.cafa import read_ontology

    return read_ontology(path, relations=split_names(relations))


def open_annotations(
    path: Path,
    *,
    skip_bad: bool = False,
    evidence: str | None = None,
    taxa: str | None = None,
    after: str | None = None,
    until: str | None = None,
) -> Annotations:
    """Read annotations of any format, choose, and say what was left out."""
    from truepath.cafa import read_annotations

    found = read_annotations(path, bad="skip" if skip_bad else "raise")
    chosen = found.select(
        evidence=split_names(evidence) or None, taxa=split_names(taxa) or None, after=after, until=until
    )
    report_problems(path, chosen.problems)
    return chosen


def open_predictions(path: Path, skip_bad: bool, only: Sequence[str] | None = None) -> LongTable:
    """Read predictions, of all targets or of some, and say what was left out."""
    from truepath.cafa import read_long_table

    table = read_long_table(path, scored=True, only=only, bad="skip" if skip_bad else "raise")
    report_problems(path, table.problems)
    return table


def report_problems(path: Path, problems: Any) -> None:
    """Print on stderr which lines were left out, and why."""
    for bad in problems.bad[:5]:
        typer.echo(f"truepath: {bad}", err=True)
    if problems.n_bad > 5:
        typer.echo(f"truepath: {path}: {counted(problems.n_bad, 'bad line')} in all", err=True)
    for reason, n in problems.left_out.items():
        if n:
            typer.echo(f"truepath: {path}: {counted(n, 'line')} left out: {reason}", err=True)


def list_predictions(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files of predictions by name: those given, and all below the folders given."""
    found: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
            found |= {file.relative_to(path).as_posix(): file for file in inside}
        else:
            found[path.name if path.name not in found else str(path)] = path
    if not found:
        raise TruePathError(f"{paths[0]}: no files of predictions in this folder.")
    return found


def print_table(records: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    """Print records as aligned columns, or as JSON."""
    if as_json:
        typer.echo(dump_json(list(records), indent=2))
        return
    heads = list(dict.fromkeys(key for record in records for key in record))
    rows = [[_shown(record.get(head)) for head in heads] for record in records]
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    for row in [heads, *rows]:
        cells = [cell.ljust(width) if k < 1 else cell.rjust(width) for k, (cell, width) in enumerate(zip(row, widths))]
        typer.echo("  ".join(cells).rstrip())


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
