"""
Predictions that end in leaves: greedy, exact, and of least risk
================================================================

Where only the leaves of a hierarchy mean something, every predicted path must reach one. Bi & Kwok take the most
probable set of such paths greedily (MAS), or the one of smallest expected loss (MASR). The best set is within reach
too: :class:`~truepath.decoders.ExactLeafMAP`. Here the three are compared on the topics of Python packages.
"""

# %%
# Packages whose topics all end in leaves, and plain nearest-neighbour scores: an average of closed label sets is
# coherent, which is all a decoder asks.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors

from truepath import load_dataset
from truepath.data import keep_full_paths
from truepath.decoders import MAS, MASR, ExactLeafMAP, TopLeaves
from truepath.papers.bi2012.agreement import nested_agreement
from truepath.metrics import hierarchical_f1, symmetric_loss

ds = keep_full_paths(keep_full_paths(load_dataset("pypi-topics")).prune(10))
h, truth = ds.hierarchy, ds.test.y
tfidf = TfidfTransformer(sublinear_tf=True).fit(ds.train.X)
neighbours = NearestNeighbors(n_neighbors=25, metric="cosine").fit(tfidf.transform(ds.train.X))
_, nearest = neighbours.kneighbors(tfidf.transform(ds.test.X))
S = np.mean([ds.train.y[nearest[:, rank]] for rank in range(25)], axis=0)
print(h, S.shape)

# %%
# The number of leaves may be given, learned, or found: by default it is the one with the largest posterior.

for decoder in (MAS(), MAS(k=1), MASR(alpha=5.0), ExactLeafMAP(), TopLeaves(k=1)):
    Y = decoder.set_params(hierarchy=h).predict(S)
    n_leaves = Y[:, h.leaves].sum(axis=1).mean()
    print(f"{type(decoder).__name__:13} {n_leaves:.2f} leaves, hierarchical F {hierarchical_f1(truth, Y, h):.3f}")

# %%
# All numbers of leaves come out of one sweep: the log posterior of the nested solutions of five packages, and how often
# the greedy set of k leaves is the best of its size.

path = MAS(hierarchy=h).predict_path(S, k_max=8)
agreement = nested_agreement(S, h, k_max=8)

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
k = np.arange(1, 9)
left.plot(k, path.values[:5].T, marker="o", markersize=3)
left.set(xlabel="leaves taken", ylabel="log posterior", title="MAS, five packages")
right.plot(k, agreement.reached, marker="o", label="greedy is optimal")
right.plot(k, agreement.nested, marker="s", label="best sets are nested")
right.set(xlabel="leaves", ylabel="share of packages", ylim=(0, 1.05), title="Greedy against exact")
right.legend()

# %%
# The loss weighs a missed label alpha times as much as a wrong one, each by its cost in the hierarchy. MASR knows
# alpha, MAS does not.

alphas = np.array([1 / 10, 1 / 5, 1 / 2, 1, 2, 5, 10])
fixed = {"MAS": MAS(hierarchy=h).predict(S), "TopLeaves(1)": TopLeaves(1, hierarchy=h).predict(S)}
fig, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
for name, Y in fixed.items():
    ax.semilogx(alphas, [symmetric_loss(truth, Y, h, alpha=alpha) for alpha in alphas], marker="o", label=name)
at_risk = [symmetric_loss(truth, MASR(alpha, hierarchy=h).predict(S), h, alpha=alpha) for alpha in alphas]
ax.semilogx(alphas, at_risk, marker="s", label="MASR")
ax.set(xlabel="alpha", ylabel="loss (7)", title="Least risk")
ax.legend()
plt.show()
