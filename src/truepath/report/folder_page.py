"""The page of a folder, whatever it holds: a run or an experiment."""

from __future__ import annotations

from pathlib import Path

from truepath.errors import TruePathError
from truepath.files.names import PathType
from truepath.files.strict_json import read_json


def write_folder_report(path: PathType, folder: PathType, *, title: str | None = None) -> Path:
    """Write one HTML page about a run or an experiment that was saved in a folder.

    Parameters
    ----------
    path : path
        The page to write.
    folder : path
        The folder of a run (with ``run.json``) or of an experiment (with ``results.csv``), or one of these files.
    title : str, optional
        By default that of the run, or the name of the experiment's plan.

    See Also
    --------
    write_report : the page of a run in memory.
    write_experiment_report : the page of a table of results.
    """
    from truepath.report.experiment_page import write_experiment_report
    from truepath.report.page import write_report
    from truepath.report.run_folder import load_run

    given, home = Path(folder), folder_of(folder)
    if not given.exists():
        raise TruePathError(f"{given}: there is no such folder.")
    if (home / "run.json").is_file() and given.name != "results.csv":
        saved = load_run(home)
        saved.title = title or saved.title
        return write_report(path, saved)
    if (home / "results.csv").is_file():
        return write_experiment_report(path, home / "results.csv", title=title or _plan_name(home))
    raise TruePathError(
        f"{given}: this is neither a run (no run.json) nor an experiment (no results.csv).",
        "A run is saved by truepath fit or truepath.report.save_run, an experiment by truepath experiment.",
    )


def folder_of(given: PathType) -> Path:
    """Return a folder, or the folder of a file."""
    return Path(given) if Path(given).is_dir() else Path(given).parent


def files_of_report(given: PathType) -> list[Path]:
    """Return the files of a run or an experiment that a page is made from."""
    from truepath.experiments.run import files_of_experiment
    from truepath.report.run_folder import files_of_run

    return [*files_of_run(folder_of(given)), *files_of_experiment(folder_of(given))]


def _plan_name(folder: Path) -> str:
    """Return the name of the experiment's plan, or the folder's."""
    try:
        name = read_json(folder / "plan.json")["name"]
    except (OSError, ValueError, KeyError, TypeError):  # a table from elsewhere has no plan
        name = None
    return name if isinstance(name, str) and name else folder.resolve().name
