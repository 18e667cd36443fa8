"""
A forest, and one tree to read
==============================

How many trees are enough, what one tree looks like, and which features matter at which level of the hierarchy.
"""

# %%
# A made-up problem: 40 labels in a tree, 12 features.
import matplotlib.pyplot as plt
import numpy as np

from truepath.data import make_hmc
from truepath.learners import PCTForest, PCTree
from truepath.metrics import auprc

ds = make_hmc(800, 12, 40, random_state=0)

# %%
# Growing in steps: ``warm_start`` adds trees, and tree k is the same whenever it is grown.
sizes = [1, 2, 5, 10, 20, 40]
curves = {"random forest": {}, "extra-randomised": {"splitter": "random", "bootstrap": False, "max_features": 1 / 3}}
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, setting in curves.items():
    forest = PCTForest(hierarchy=ds.hierarchy, n_estimators=1, warm_start=True, random_state=0, **setting)
    areas = []
    for size in sizes:
        forest.set_params(n_estimators=size).fit(ds.train.X, ds.train.y)
        areas.append(auprc(ds.test.y, forest.predict_proba(ds.test.X)))
    ax.plot(sizes, areas, marker="o", label=name)
ax.set(xlabel="trees", ylabel="AU(PRC) on the test part", xscale="log")
ax.legend()

# %%
# Importances by level: each column of the picture sums to 1.
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
image = ax.imshow(forest.importances(by="level"), aspect="auto", cmap="viridis")
ax.set(xlabel="level", ylabel="feature", title="importance by level")
ax.set_xticks(np.arange(ds.hierarchy.height), np.arange(1, ds.hierarchy.height + 1))
figure.colorbar(image)

# %%
# One tree, stopped by an F-test, with the most probable labels of each node.
tree = PCTree(hierarchy=ds.hierarchy, significance=0.001).fit(ds.train.X, ds.train.y)
figure, ax = plt.subplots(figsize=(12, 6))
tree.plot_tree(max_depth=2, n_labels=2, ax=ax)

# %%
# The same tree as rules, heaviest leaf first.
for rule in tree.export_rules(n_labels=2)[:3]:
    print(rule)

plt.show()
