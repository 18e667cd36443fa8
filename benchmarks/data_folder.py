"""What the benchmarks share: where their data are, and small made-up data for ``--smallest``.

The public sets are looked for in ``$TRUEPATH_DATA``, else in ``../shared/data``; a set that is not there is named and
left out. With ``--smallest`` a script runs every part of it once, on sets of a few rows that are written to a temporary
folder, so that it can be seen to reach its end; its numbers then mean nothing.
"""

from __future__ import annotations

import argparse
import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
N_ROWS, N_FEATURES, N_FOLDS = 90, 8, 5


def make_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser that knows ``--smallest``."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smallest", action="store_true", help="run everything once on a few made-up rows")
    return parser


def home() -> Path:
    """Return the data folder."""
    return Path(os.environ.get("TRUEPATH_DATA", SHARED))


def open_sets(names, smallest: bool = False) -> list[str]:
    """Return those of the sets, such as "hmc/diatoms", that are there; made up and all there for ``--smallest``."""
    if smallest:
        folder = Path(tempfile.mkdtemp(prefix="truepath-smallest-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        for name in names:
            write_set(folder / name)
        os.environ["TRUEPATH_DATA"] = str(folder)  # for processes of the script, too
        return list(names)
    os.environ.setdefault("TRUEPATH_DATA", str(SHARED))
    found = [name for name in names if (home() / name).is_dir()]
    if absent := [name for name in names if name not in found]:
        print(f"not in {home()}, left out: {', '.join(absent)}", file=sys.stderr)
    return found


def write_set(folder: Path) -> None:
    """Write a made-up set in the files of a public one."""
    from truepath.data import make_hmc

    folder.mkdir(parents=True)
    if folder.parent.name == "mulan":
        write_mulan(folder)
        return
    dag = folder.name.endswith("_GO")
    ds = make_hmc(N_ROWS, N_FEATURES, 12, depth=3, branching=3, dag=dag, labels_per_sample=1, random_state=0)
    h = ds.hierarchy
    if dag:
        shown = [f"n{v}" for v in range(h.n_nodes)]
        nodes = [f"root/{shown[v]}" for v in h.roots] + [f"{shown[u]}/{shown[v]}" for u, v in h.edges]
    else:  # a node by its path
        shown = nodes = ["/".join(f"n{u}" for u in [*h.ancestors(v), v]) for v in range(h.n_nodes)]
    for split in ds:
        rows = []
        for x, y in zip(ds[split].X, ds[split].y):
            labels = [shown[v] for v in range(h.n_nodes) if y[v] and not y[h.children(v)].any()]
            rows.append([*(f"{value:.3f}" for value in x), "@".join(labels)])
        head = [f"x{j} numeric" for j in range(N_FEATURES)] + [f"class hierarchical {','.join(nodes)}"]
        write_arff(folder / f"{split}.arff", folder.name, head, rows)


def write_mulan(folder: Path) -> None:
    """Write a flat set of three labels: original features, and discretised ones in five folds."""
    rng = np.random.default_rng(0)
    X = rng.random((N_ROWS, N_FEATURES)).round(3)
    Y = X[:, :3] + 0.3 * rng.random((N_ROWS, 3)) > 0.6
    labels = [f"l{j} {{0,1}}" for j in range(3)]
    numeric = [f"x{j} numeric" for j in range(N_FEATURES)]
    write_arff(folder / "original.arff", folder.name, [*numeric, *labels], np.hstack([X.astype(object), 1 * Y]))
    names = "".join(f'<label name="l{j}"></label>' for j in range(3))
    (folder / "labels.xml").write_text(f'<labels xmlns="http://mulan.sourceforge.net/labels">{names}</labels>')
    (folder / "laim").mkdir()
    head = [*labels, *(f"x{j} {{0,1}}" for j in range(N_FEATURES))]
    rows, fold = np.hstack([Y, X > 0.5]).astype(int), np.arange(N_ROWS) % N_FOLDS
    parts = {"all": rows}
    for k in range(N_FOLDS):
        parts |= {f"f{k}.train": rows[fold != k], f"f{k}.test": rows[fold == k]}
    for part, chosen in parts.items():
        write_arff(folder / "laim" / f"{part}.arff", '"made: -C 3"', head, chosen)


def write_arff(file: Path, relation: str, attributes, rows) -> None:
    """Write one ARFF file."""
    head = [f"@relation {relation}", *(f"@attribute {attribute}" for attribute in attributes), "@data"]
    file.write_text("\n".join([*head, *(",".join(map(str, row)) for row in rows)]) + "\n")
