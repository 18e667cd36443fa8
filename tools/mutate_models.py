"""Try model files with changes inside: ``python tools/mutate_models.py --files 10000 --seed 1 --jobs 2``.

Every kind of estimator is saved once; each case changes one of these files (``tests/model_mutants.py``) by its own
seed, loads it and asks the model. It ends as a model with valid answers, or as one ModelFileError; anything else is a
failure, and so are a case that takes longer than ``--seconds`` or more memory than ``--megabytes``, and a crash. Ends
with a table, and with 1 if anything failed. ``--case`` runs one case alone and shows its traceback.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from model_mutants import judge, mutate

SHOWN = 40
#: Every so many cases get a new process
BLOCK = 500


def make_samples(folder: Path) -> list[str]:
    """Save one model of every kind, unless the folder has them; return their names."""
    listing = folder / "names.json"
    if not listing.is_file():
        from persistence_room import fitted
        from truepath.persistence import save

        models = fitted()
        for number, model in enumerate(models.values()):
            save(model, folder / f"{number}.tp")
        listing.write_text(json.dumps(list(models)))
    names: list[str] = json.loads(listing.read_text())
    for number, name in enumerate(names):  # so that all that is imported and compiled on the way is there before
        if judge(folder / f"{number}.tp", name) != "valid":
            raise SystemExit(f"{name} is refused as it was saved.")
    return names


def run_case(seed: int, case: int, folder: Path, names: list[str], place: Path) -> tuple[str, str, str]:
    """Run one case; return the model's name, what was changed, and "valid", "refused" or a traceback."""
    number = case % len(names)
    data, done = mutate((folder / f"{number}.tp").read_bytes(), np.random.default_rng([seed, case]))
    path = place / "changed.tp"
    path.write_bytes(data)
    try:
        said = judge(path, names[number])
    except Exception:
        said = traceback.format_exc(limit=-6)
    return names[number], done, said


def run_cases(seed: int, cases: list[int], folder: Path, names: list[str], megabytes: int, send: Any) -> None:
    """Run cases in a process of its own, and send what comes of each; the memory that is used already is free."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = used + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with tempfile.TemporaryDirectory() as place:
        for case in cases:
            send.send((case, *run_case(seed, case, folder, names, Path(place))))


def watch(seed: int, cases: list[int], folder: Path, names: list[str], limits: argparse.Namespace) -> list[Any]:
    """Run cases in a process that is ended where one takes too long, or that may crash; it is then begun anew."""
    results: list[Any] = []
    while cases:
        receive, send = multiprocessing.get_context("fork").Pipe(duplex=False)
        arguments = (seed, cases, folder, names, limits.megabytes, send)
        process = multiprocessing.get_context("fork").Process(target=run_cases, args=arguments, daemon=True)
        process.start()
        send.close()
        try:
            while len(cases) and receive.poll(limits.seconds):
                results.append(receive.recv())
                cases = cases[1:]
        except EOFError:
            pass
        if cases:
            said = "it hangs" if process.is_alive() else f"it crashed (exit code {process.exitcode})"
            results.append((cases[0], names[cases[0] % len(names)], "", said))
            cases = cases[1:]
            process.kill()
        process.join()
    return results


def main(arguments: list[str] | None = None) -> int:
    """Run the cases, print the report, return 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000, help="how many files to try")
    parser.add_argument("--seed", type=int, default=0, help="where the changes come from")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--seconds", type=float, default=60, help="the most that one file may take")
    parser.add_argument("--megabytes", type=int, default=2048, help="the most memory that one file may take")
    parser.add_argument("--samples", type=Path, help="folder where the models are kept for another run")
    parser.add_argument("--case", type=int, help="run this one case alone, and show its traceback")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as spare:
        folder = given.samples or Path(spare)
        folder.mkdir(exist_ok=True)
        names = make_samples(folder)
        if given.case is not None:
            print("\n".join(run_case(given.seed, given.case, folder, names, folder)))
            return 0
        blocks = [list(range(start, min(start + BLOCK, given.files))) for start in range(0, given.files, BLOCK)]
        with ThreadPoolExecutor(given.jobs) as pool:
            done = [pool.submit(watch, given.seed, block, folder, names, given) for block in blocks]
            results = [result for block in done for result in block.result()]
    return report(results, given.seed)


def report(results: list[Any], seed: int) -> int:
    """Print what came of the files."""
    counts = Counter(said if said in ("valid", "refused") else "failed" for *_, said in results)
    failures = [result for result in results if result[-1] not in ("valid", "refused")]
    for case, name, done, said in failures[:SHOWN]:
        print(f"case {case}, {name}, {done}; again with --seed {seed} --case {case}\n{said}\n")
    print(f"{len(results):,} files of seed {seed}: " + ", ".join(f"{n:,} {what}" for what, n in sorted(counts.items())))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
