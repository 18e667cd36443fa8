"""
What FAEL learns: the weights between nodes
===========================================

Fully associative ensemble learning lets *every* node's local score vote on every node. The weight matrix shows how:
a node trusts itself most, children speak for their parents, and other branches speak against.

We take out-of-fold scores of one naive Bayes classifier per node on the bundled ``pypi-topics`` data (what the words of
a package's description say about its topics), fit FAEL on them, and draw the weights within one branch, as in Figure 1
of the paper.
"""

# %%
# Local scores
# ------------
# One classifier per node, and each row scored by a model that did not see it: combiners must not be fitted on scores of
# rows that the learner was trained on, or they learn its overfitting.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import KFold
from sklearn.naive_bayes import MultinomialNB

from truepath import load_dataset
from truepath.combiners import FAEL, HierarchicalFAEL, Isotonic
from truepath.metrics import auprc

ds = load_dataset("pypi-topics")
h, X, Y = ds.hierarchy, ds.train.X, ds.train.y


def local_scores(X, Y, X_new):
    """One classifier per node; a class without positives (or negatives) scores a constant."""
    S = np.zeros((X_new.shape[0], Y.shape[1]))
    for v in range(Y.shape[1]):
        y = Y[:, v]
        S[:, v] = y[0] if y.all() or not y.any() else MultinomialNB().fit(X, y).predict_proba(X_new)[:, 1]
    return S


S = np.empty(Y.shape)
for train, held_out in KFold(3, shuffle=True, random_state=0).split(S):
    S[held_out] = local_scores(X[train], Y[train], X[held_out])
S_test = local_scores(X, Y, ds.test.X)

# %%
# Fit and compare
# ---------------
# The ridge penalty is chosen by generalised cross-validation: one eigendecomposition serves all candidates.
fael = FAEL("gcv", hierarchy=h).fit(S, Y)
tied = HierarchicalFAEL("gcv", hierarchy=h).fit(S, Y)
for name, scores in [
    ("local scores", S_test),
    ("Isotonic", Isotonic(hierarchy=h).transform(S_test)),
    ("FAEL", fael.transform(S_test)),
    ("HierarchicalFAEL", tied.transform(S_test)),
]:
    print(f"{name:18s} AUPRC {auprc(ds.test.y, scores, h):.3f}   coherent: {h.is_coherent(scores)}")

# %%
# The heat map
# ------------
# Row p, column k: the weight of p's local score in the global score of k. Blue weights speak against.
fael.plot_weights("Software Development").set_title(f"FAEL, alpha = {fael.alpha_:g}", pad=12)

# %%
# Tied weights
# ------------
# HierarchicalFAEL asks an ancestor's weight to be a multiple of its descendants': the rows of parents and children grow
# alike, and noise in the rows of rare classes is smoothed away.
tied.plot_weights("Software Development").set_title(f"HierarchicalFAEL, alpha = {tied.alpha_:g}", pad=12)
plt.show()
