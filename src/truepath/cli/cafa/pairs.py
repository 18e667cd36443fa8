"""``truepath cafa pairs``: files of annotations to pairs of target and term."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import Evidence, Output, SkipBad, Taxa, Until, open_annotations
from truepath.cli.shared.kinds import DAY
from truepath.english import counted


def pairs(
    source: Annotated[Path, typer.Argument(help="GAF, GPAD, phenotype.hpoa, genes_to_phenotype.txt; may be .gz.")],
    output: Output,
    evidence: Evidence = None,
    taxa: Taxa = None,
    after: Annotated[
        str | None, typer.Option(help="Only annotations dated after this day, such as 2024-01-31.", parser=DAY)
    ] = None,
    until: Until = None,
    negatives: Annotated[
        bool, typer.Option("--negatives", help="Write the pairs with the qualifier NOT instead.")
    ] = False,
    skip_bad_lines: SkipBad = False,
) -> None:
    """Write the pairs of target and term of a file of annotations, chosen by evidence, taxon and date."""
    from truepath.cafa import write_long_table
    from truepath.cli.shared.outputs import check_outputs

    check_outputs({"--output": output}, {"SOURCE": source})
    options = {"evidence": evidence, "taxa": taxa, "after": after, "until": until}
    found = open_annotations(source, skip_bad=skip_bad_lines, **options)
    table = found.negatives if negatives else found.table
    write_long_table(table, output)
    said = f"{counted(table.n_pairs, 'pair')} of {counted(len(table.targets), 'target')}"
    typer.echo(f"truepath: {said} written to {output}", err=True)
