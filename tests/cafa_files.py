"""Small random ontologies, annotations and predictions, as files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np


class Made(NamedTuple):
    """The files of one case."""

    ontology: Path
    truth: Path
    predictions: Path
    ia: Path


def make_case(folder: Path, seed: int, *, n_terms: int = 12, n_targets: int = 8, decimals: int = 3) -> Made:
    """Write an ontology of two aspects with alternative ids, edges of three kinds and across aspects, and tables."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "predictions").mkdir(exist_ok=True)
    made = Made(folder / "o.obo", folder / "truth.tsv", folder / "predictions" / "made.tsv", folder / "ia.tsv")
    ids = [f"X:{v:03d}" for v in range(n_terms)]
    names, stanzas = list(ids), ["format-version: 1.2\n"]
    for v in range(n_terms):
        stanza = f"\n[Term]\nid: {ids[v]}\nname: term {v}\nnamespace: aspect_{rng.integers(2)}\n"
        if rng.random() < 0.2:
            names.append(f"X:9{v:02d}")
            stanza += f"alt_id: {names[-1]}\n"
        for u in np.flatnonzero(rng.random(v) < 2 / (v + 1)):
            kind = ("is_a:", "relationship: part_of", "relationship: regulates")[rng.integers(3)]
            stanza += f"{kind} {ids[u]} ! another\n"
        stanzas.append(stanza)
    made.ontology.write_text("".join(stanzas), encoding="utf-8")
    truth = [
        f"T{t}\t{name}\n" for t in range(n_targets) for name in rng.choice(names, rng.integers(1, 4), replace=False)
    ]
    made.truth.write_text("".join(truth), encoding="utf-8")
    lines = []
    for t in range(n_targets + 2):
        if rng.random() < 0.85:
            for name in rng.choice(names, rng.integers(1, 8), replace=False):
                score = round(rng.random(), decimals) if rng.random() < 0.8 else rng.choice([0.505, 0.255, 1.0, 0.0])
                lines.append(f"T{t}\t{name}\t{score}\n")
    made.predictions.write_text("".join(lines), encoding="utf-8")
    made.ia.write_text("".join(f"{name}\t{rng.choice([0, 0.5, 1.25, 3.7])}\n" for name in ids), encoding="utf-8")
    return made
