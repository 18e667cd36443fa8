"""``truepath experiment``: run a plan of data sets x methods x seeds x measures, or what is left of it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.shared.kinds import in_range
from truepath.cli.shared.messages import INTERRUPTED
from truepath.cli.shared.options import SafeCsv
from truepath.files.strict_json import dump_json
from truepath.parameters import JOBS

if TYPE_CHECKING:
    from truepath.experiments import ExperimentResult, Survey

SOME_FAILED = 1
SHOWN_ERRORS = 5


def experiment(
    plan: Annotated[Path, typer.Argument(help="The plan, a TOML file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the results (default: PLAN-results).")
    ] = None,
    n_jobs: Annotated[
        int | None,
        typer.Option("--n-jobs", "-j", help="Parallel workers, one run each; -1 for all cores.", parser=in_range(JOBS)),
    ] = None,
    safe_csv: SafeCsv = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the plan and show what would run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")] = False,
) -> None:
    """Run an experiment; finished runs are kept, so the same command continues after an interruption."""
    from truepath.experiments import survey_experiment

    folder = output if output is not None else Path(f"{plan.stem}-results")
    _check_folder(plan, folder)
    if dry_run:
        _show_survey(survey_experiment(plan, folder), folder, as_json)
        return
    try:
        result = _run(plan, folder, n_jobs, safe_csv)
    except KeyboardInterrupt:
        command = shlex.join(["truepath", "experiment", str(plan), "-o", str(folder)])
        typer.echo(f"truepath: interrupted. Finished runs are in {folder}; to continue: {command}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    typer.echo(dump_json(_summary(result), indent=2) if as_json else _tables(result))
    _report_failures(result)
    if not as_json:
        typer.echo(f"\nTry next:  {shlex.join(['truepath', 'report', str(folder)])}", err=True)
    if result.failed:
        raise typer.Exit(SOME_FAILED)


def _check_folder(plan: Path, folder: Path) -> None:
    """Refuse to write the results over the plan or its data."""
    from truepath.cli.shared.outputs import check_outputs
    from truepath.experiments import make_plan
    from truepath.experiments.run import files_of_experiment
    from truepath.experiments.sources import files_of_source

    read = make_plan(plan)
    files = [(name, file) for name, given in read.datasets.items() for file in files_of_source(given, read.base)]
    inputs: dict[str, str | Path | None] = {f"data set {name!r}, {file}": file for name, file in files}
    check_outputs({"--output": files_of_experiment(folder)}, {"PLAN": plan, **inputs})


def _run(plan: Path, folder: Path, n_jobs: int | None, safe_csv: bool) -> ExperimentResult:
    """Run the plan with a progress bar; which runs are kept or repeated is written to stderr."""
    from truepath.cli.shared.progress import progress
    from truepath.experiments import run_experiment

    with progress("experiment") as show:

        def start(survey: Survey) -> None:
            for remark in survey.remarks:
                typer.echo(remark, err=True)

        return run_experiment(plan, folder, n_jobs=n_jobs, safe_csv=safe_csv, on_start=start, on_progress=show)


def _tables(result: ExperimentResult) -> str:
    """Return one table per measure, and where the files are."""
    from truepath.experiments import format_table

    done = bool(result.table["value"])
    labels = [measure.label for measure in result.plan.measures] if done else []
    blocks = [format_table(result, label, to="text") for label in labels]
    files = f"{result.results_path}  every value\n{result.runs_path}  seconds, sizes, versions, errors"
    return "\n\n".join([*blocks, files])


def _summary(result: ExperimentResult) -> dict[str, Any]:
    return {
        "name": result.plan.name,
        "folder": str(result.folder),
        "results": str(result.results_path),
        "runs": str(result.runs_path),
        "n_runs": len(result.records),
        "n_kept": result.n_kept,
        "failed": [{**record.key._asdict(), "error": record.error} for record in result.failed],
        "remarks": list(result.remarks),
    }


def _report_failures(result: ExperimentResult) -> None:
    for record in result.failed[:SHOWN_ERRORS]:
        typer.echo(f"failed: {record.key}: {record.error}", err=True)
    if len(result.failed) > SHOWN_ERRORS:
        typer.echo(f"... and {len(result.failed) - SHOWN_ERRORS} more; see {result.runs_path}", err=True)


def _show_survey(survey: Survey, folder: Path, as_json: bool) -> None:
    """Print what would run: counts, and the runs left per data set and method."""
    from truepath.experiments.statistics.format_table import align_columns

    todo = survey.todo
    if as_json:
        counts = {"n_runs": len(survey.keys), "n_kept": len(survey.kept), "n_todo": len(todo)}
        typer.echo(dump_json({**survey.describe(), "folder": str(folder), **counts}, indent=2))
        return
    plan = survey.plan
    folds = f"{plan.folds} folds" if plan.folds else "the published split"
    typer.echo(
        f"{plan.name}: {len(survey.sources)} data sets x {len(survey.methods)} methods x {len(plan.seeds)} seeds x "
        f"{folds} = {len(survey.keys)} runs; {len(survey.kept)} finished in {folder}, {len(todo)} to do\n"
    )
    left = [[d, *(str(sum(key[:2] == (d, m) for key in todo)) for m in survey.methods)] for d in survey.sources]
    typer.echo("\n".join(align_columns([["runs to do", *survey.methods], *left])))
    typer.echo(f"\nmeasures: {', '.join(measure.label for measure in plan.measures)}")
    for remark in survey.remarks:
        typer.echo(remark, err=True)
