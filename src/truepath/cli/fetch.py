"""``truepath fetch``: benchmark data in one command, checked against checksums that come with the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.shared.options import DataFolder
from truepath.cli.shared.progress import Show
from truepath.files.strict_json import dump_json

FAILED = 1
MEGABYTE = 1e6


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Data sets, such as cellcycle_FUN; all; or wordnet-nouns.", metavar="NAME...|all"),
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(
            help="Address of a copy of the public repository's files or of a data folder (default: $TRUEPATH_MIRROR, "
            "else the public repository)."
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="For wordnet-nouns: the folder of WordNet's files (data.noun).")
    ] = None,
    data: DataFolder = None,
    allow_http: Annotated[
        bool, typer.Option("--allow-http", help="Allow a mirror on your own network without encryption.")
    ] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List what can be fetched; fetch nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the folders (or the list) as JSON.")] = False,
) -> None:
    """Download benchmark data sets and check them; what is there already is not downloaded again.

    The hierarchical sets come from their public repository, at a fixed commit. An interrupted download continues
    where it stopped. WordNet's nouns are made from its own files, which you download yourself.
    """
    from truepath.cli.shared.outputs import check_folder
    from truepath.data import data_home, list_benchmarks
    from truepath.data.fetch.wordnet import WORDNET
    from truepath.errors import TruePathError

    if data is not None:
        check_folder("--data", data)
    if show_list:
        _show_list(data_home(data), as_json)
        return
    if not names:
        raise TruePathError("name one or more data sets, or all.", "--list shows what can be fetched.")
    if source is not None and names != [WORDNET]:
        raise TruePathError(
            f"--from is for {WORDNET} only.", "Other data sets are downloaded; --mirror says from where."
        )
    if names == [WORDNET]:
        _report({WORDNET: _make_wordnet(source, data)}, {}, as_json)
        return
    wanted = [benchmark.name for benchmark in list_benchmarks()] if names == ["all"] else names
    _report(*_fetch(wanted, mirror, data, allow_http), as_json)


def _make_wordnet(source: Path | None, data: Path | None) -> Path:
    from truepath.cli.shared.progress import progress
    from truepath.data.fetch.wordnet import WORDNET, make_wordnet
    from truepath.errors import TruePathError

    if source is None:
        problem = f"{WORDNET} is made from WordNet's files, which are not downloaded."
        raise TruePathError(problem, "Unpack them (WordNet 3.1: wn3.1.dict.tar.gz) and name the folder: --from FOLDER.")
    with progress(f"making {WORDNET}"):
        return make_wordnet(source, home=data)


def _fetch(
    wanted: list[str], mirror: str | None, data: Path | None, allow_http: bool
) -> tuple[dict[str, Path], dict[str, str]]:
    """Fetch sets with a progress bar that counts them; return their folders, and of several what went wrong.

    A server that cannot be reached ends the command; one that lacks a set does not.
    """
    from truepath.cli.shared.progress import progress
    from truepath.data import fetch_benchmark, list_benchmarks
    from truepath.errors import explain

    folders: dict[str, Path] = {}
    failed: dict[str, str] = {}
    n_files = {benchmark.name: benchmark.n_files for benchmark in list_benchmarks()}
    with progress("fetching") as show:
        for done, name in enumerate(wanted):
            show(done, len(wanted), name)
            say = _show_size(show, done, len(wanted), n_files.get(name, 1))
            try:
                folders[name] = fetch_benchmark(name, mirror, home=data, progress=say, allow_http=allow_http)
            except (ValueError, FileNotFoundError) as problem:
                if len(wanted) == 1:
                    raise
                failed[name] = " ".join(" ".join(explain(problem)).split())
    return folders, failed


def _show_size(show: Show, done: int, n_sets: int, n_files: int) -> Callable[[str, int, int | None], None]:
    """Return what shows how much of a file is there, and of the whole."""
    parts: dict[str, float] = {}

    def say(file: str, have: int, total: int | None) -> None:
        parts[file] = have / total if total else 0.0
        size = f"{have / MEGABYTE:.1f}" + (f" of {total / MEGABYTE:.1f} MB" if total else " MB")
        show(done + min(sum(parts.values()) / n_files, 1.0), n_sets, f"{file}: {size}")

    return say


def _report(folders: dict[str, Path], failed: dict[str, str], as_json: bool) -> None:
    """Print where the sets are, and what could not be fetched; the exit code says whether all could."""
    if as_json:
        found: dict[str, Any] = {"folders": {name: str(folder) for name, folder in folders.items()}, "failed": failed}
        typer.echo(dump_json(found, indent=2))
    else:
        for name, folder in folders.items():
            typer.echo(f"{name}: {folder}")
    for name, problem in failed.items():
        typer.echo(f"truepath: {name}: {problem}", err=True)
    if failed:
        typer.echo(f"truepath: {len(failed)} of {len(folders) + len(failed)} data sets could not be fetched.", err=True)
        raise typer.Exit(FAILED)


def _show_list(home: Path, as_json: bool) -> None:
    """Print the sets that can be fetched, their sizes, and whether they are in the data folder."""
    from truepath.data import list_benchmarks, list_datasets
    from truepath.data.fetch.wordnet import WORDNET

    there = set(list_datasets(home))
    rows: list[dict[str, Any]] = [
        {"name": name, "files": n_files, "bytes": size, "here": f"hmc/{name}" in there}
        for name, n_files, size in list_benchmarks()
    ]
    rows.append({"name": WORDNET, "files": 2, "bytes": None, "here": WORDNET in there})
    if as_json:
        typer.echo(dump_json(rows, indent=2))
        return
    for row in rows:
        size = "" if row["bytes"] is None else f"{row['bytes'] / MEGABYTE:.1f} MB"
        remark = "here" if row["here"] else "made with --from FOLDER" if row["name"] == WORDNET else ""
        typer.echo(f"{row['name']:<16} {row['files']} files {size:>8}  {remark}".rstrip())
    typer.echo(f"data folder: {home}", err=True)
