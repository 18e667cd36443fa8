"""Zhang, Shah & Kakadiaris (2014): FAEL. The text has formulas only, so the comparison is our own: FAEL in its three
forms beside the raw local scores and the hierarchical corrections, on five public data sets.
"""

from __future__ import annotations

from functools import partial

from truepath.papers.base import Cell, Comparison, Paper, Settings
from truepath.registry import METRICS

SECONDS = {"cellcycle_FUN": 120, "derisi_FUN": 100, "gasch1_FUN": 180, "cellcycle_GO": 1200, "imclef07a": 400}
MEASURES = ("auprc", "hierarchical_f1", "hmc_loss")


def _run_dataset(name: str, settings: Settings) -> list[Comparison]:
    """Judge all combiners on the local scores of a data set."""
    from truepath.papers.zhang2014.combined_scores import judge_combiners
    from truepath.papers.zhang2014.local_scores import make_local_scores

    scores = make_local_scores(name, settings.data, random_state=settings.random_state, n_jobs=settings.n_jobs)
    results = list(judge_combiners(scores))
    return [
        Comparison(m.label, name, row.combiner, m.label, None, getattr(row, m.name), 0.0, m.greater_is_better)
        for m in (METRICS[measure] for measure in MEASURES)
        for row in results
    ]


PAPER = Paper(
    "zhang2014",
    "L. Zhang, S. K. Shah, I. A. Kakadiaris. Fully associative ensemble learning for hierarchical multi-label "
    "classification. BMVC, 2014.",
    tuple(Cell(name, partial(_run_dataset, name), (f"hmc/{name}",), float(cost)) for name, cost in SECONDS.items()),
    {
        "The tables of the paper": "the available text has formulas and a figure only, so there is no published value "
        "to compare with",
        "Extended IAPR TC-12": "the image features and the annotation hierarchy could not be obtained",
    },
    "Local scores are one logistic regression per node (train and valid joined, mean imputation, scaling); combiners "
    "that learn are fitted on 5-fold out-of-fold scores of the training rows and judged on the test rows. One "
    "threshold for all nodes is chosen on held-out combined scores, once for the hierarchical F1 and once for the "
    "HMC-loss. On GO the three top terms are left out. KernelFAEL uses 1,000 Nystroem features where there are more "
    "than 6,000 rows, HierarchicalFAEL's parameters are chosen by GCV where there are more than 1,000 nodes. One "
    "split and one run: differences of a few thousandths mean nothing.",
    summary="Zhang et al. 2014: FAEL",
)
