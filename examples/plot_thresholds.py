"""
The same scores, labelled five ways
===================================

One model scores the instances once. What they are labelled with depends on the strategy that turns scores into label
sets: one threshold for all classes or one for each, and what is made best on held-out instances.
"""

# %%
# Scores
# ------
# A forest is trained on one part of generated data and scores two others: thresholds are chosen on the first and judged
# on the second. Averages of closed label sets are coherent: no class scores more than its parent.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from truepath import Hierarchy
from truepath.decoders import MultiThreshold, SingleThreshold, plot_threshold_curve
from truepath.papers.triguero2016.strategies import compare_strategies

rng = np.random.default_rng(0)
hierarchy = Hierarchy.from_paths([f"{a}/{b}/{c}" for a in "abc" for b in "12" for c in "xyz"])
leaves = hierarchy.leaves
centres = rng.normal(0, 1, (hierarchy.n_nodes, 12))
for v in range(hierarchy.n_nodes):
    for u in hierarchy.parents(v):
        centres[v] = centres[u] + 0.7 * centres[v]
labels = [rng.choice(leaves, rng.integers(1, 3), replace=False, p=np.arange(1, 19) / 171) for _ in range(900)]
X = np.array([centres[row].mean(axis=0) for row in labels]) + rng.normal(0, 0.9, (900, 12))
Y = hierarchy.encode([list(hierarchy.names[row]) for row in labels])

forest = RandomForestRegressor(40, min_samples_leaf=3, random_state=0).fit(X[:300], Y[:300].astype(float))
S_val, Y_val, S_test, Y_test = forest.predict(X[300:600]), Y[300:600], forest.predict(X[600:]), Y[600:]

# %%
# One threshold
# -------------
# Each objective has its own best threshold. The whole curve costs one sort.

figure, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
for ax, objective in zip(axes, ["micro_f1", "hmc_loss", "h_loss"]):
    plot_threshold_curve(SingleThreshold(objective, hierarchy=hierarchy).fit(S_val, Y_val), ax)

# %%
# Five ways
# ---------
# Twelve test instances: true classes are framed, predicted ones filled.

decoders = {
    "one threshold, micro-F1": SingleThreshold("micro_f1", hierarchy=hierarchy),
    "one threshold, H-loss": SingleThreshold("h_loss", hierarchy=hierarchy),
    "class distribution": MultiThreshold("class_distribution", hierarchy=hierarchy),
    "one threshold per class, micro-F1": MultiThreshold("micro_f1", hierarchy=hierarchy),
    "one threshold per class, HMC-loss": MultiThreshold("hmc_loss", hierarchy=hierarchy),
}
shown = slice(0, 12)
figure, axes = plt.subplots(5, 1, figsize=(9, 9), sharex=True, layout="constrained")
for ax, (name, decoder) in zip(axes, decoders.items()):
    predicted = decoder.fit(S_val, Y_val).predict(S_test[shown])
    ax.imshow(np.where(predicted, S_test[shown], np.nan), cmap="Blues", vmin=0, vmax=1, aspect="auto")
    row, column = np.nonzero(Y_test[shown])
    ax.scatter(column, row, marker="s", s=60, facecolors="none", edgecolors="C1")
    ax.set(title=name, ylabel="instance", yticks=[])
axes[-1].set_xticks(range(hierarchy.n_nodes), hierarchy.names, rotation=90)

# %%
# Thresholds for each class suit the HMC-loss most. All strategies in one table, as in Triguero & Vens:

print(compare_strategies(S_val, Y_val, S_test, Y_test, hierarchy))
plt.show()
