"""Compare raw local scores, every correction and every FAEL on five data sets, from scores kept by local_scores.py.

The protocol, and the code, are those of ``truepath reproduce zhang2014`` (local_scores.py and combined_scores.py of
truepath.papers); this script keeps the local scores, prints one Markdown table a measure, and times the
combiners.

Run ``PYTHONPATH=src python benchmarks/combiners_accuracy.py CACHE_FOLDER [dataset ...]``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import local_scores

from truepath.papers.zhang2014.combined_scores import judge_combiners


def saved(name, folder):
    """Return the results of a data set, kept in the folder once computed."""
    file = Path(folder) / f"{name}.accuracy.json"
    if not file.exists():
        found = {}
        for member, *values in judge_combiners(local_scores.load(name, folder)):
            found[member] = values
            print(name, member, *(f"{value:.4f}" for value in values), file=sys.stderr, flush=True)
        file.write_text(json.dumps(found, indent=1))
    return json.loads(file.read_text())


def main():
    folder, names = local_scores.choose(__doc__)
    local_scores.keep_scores(folder, names)
    results = {}
    for name in names:
        for member, values in saved(name, folder).items():
            results[name, member] = values
    rows = dict.fromkeys(member for _, member in results)
    for k, (measure, digits) in enumerate([("AUPRC", 3), ("hF", 3), ("HMC-loss", 4), ("fit + transform, s", 1)]):
        print(f"\n| {measure} | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
        for member in rows:
            cells = (f"{results[name, member][k]:.{digits}f}" for name in names)
            print(f"| {member} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
