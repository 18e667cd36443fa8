"""
A first look: real labels in a tree
===================================

The bundled data set `pypi-topics` asks which topics a Python package has, given counts of the words that describe it.
The topics form a tree, a package may have several, and a path may stop half-way. Here a plain baseline, the nearest
neighbours, is scored label by label and drawn on the hierarchy.
"""

# %%
# What there is.

from truepath import load_dataset

ds = load_dataset("pypi-topics")
print(ds.describe())

# %%
# Average the labels of the fifteen nearest training packages. An average of closed label sets is coherent: no topic
# scores above the topic that contains it.

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors

tfidf = TfidfTransformer(sublinear_tf=True).fit(ds.train.X)
neighbours = NearestNeighbors(n_neighbors=15, metric="cosine").fit(tfidf.transform(ds.train.X))
_, nearest = neighbours.kneighbors(tfidf.transform(ds.test.X))
S = np.mean([ds.train.y[nearest[:, rank]] for rank in range(15)], axis=0)
print("coherent:", ds.hierarchy.is_coherent(S, tolerance=1e-12))

# %%
# One threshold turns scores into label sets; the measures of the field compare them with the truth.

from truepath.metrics import auprc, evaluate

y_pred = S > 0.3
for name, value in evaluate(ds.test.y, y_pred, hierarchy=ds.hierarchy, metrics=["hierarchical_f1", "h_loss"]).items():
    print(f"{name:16} {value:.3f}")
print(f"{'auprc':16} {auprc(ds.test.y, S):.3f}")

# %%
# The hierarchy as an icicle: a topic's height is its number of packages, its colour how well it was found.

import matplotlib.pyplot as plt
from matplotlib import colormaps

from truepath.metrics import hierarchical_precision_recall_f1

h = ds.hierarchy
f1 = hierarchical_precision_recall_f1(ds.test.y, y_pred, h, average="per_class").f1
size = ds.merge()["all"].y.sum(axis=0).astype(float)


def stack(nodes, bottom, depth, scale):
    """Draw sibling boxes one above the other, and their children to the right within each."""
    for v in sorted(nodes, key=lambda v: -size[v]):
        height = size[v] * scale
        colour = colormaps["viridis"](f1[v])
        ax.barh(bottom + height / 2, 0.97, height, left=depth, color=colour, edgecolor="white", linewidth=0.8)
        if height > 0.02:
            light = np.dot(colour[:3], (0.299, 0.587, 0.114)) > 0.6
            name = h.names[v].rsplit(" :: ", 1)[-1]
            name = name if len(name) < 34 else name[:32] + "…"
            ax.text(
                depth + 0.02, bottom + height / 2, name, va="center", fontsize=7, color="black" if light else "white"
            )
        below = h.children(v)
        if below.size:
            stack(below, bottom, depth + 1, height / max(size[v], size[below].sum()))
        bottom += height


fig, ax = plt.subplots(figsize=(9, 6), layout="constrained")
stack(h.roots, 0.0, 0, 1 / size[h.roots].sum())
ax.set(xlim=(0, h.height), ylim=(0, 1), xticks=[], yticks=[])
ax.invert_yaxis()
ax.spines[:].set_visible(False)
bar = fig.colorbar(plt.cm.ScalarMappable(cmap="viridis"), ax=ax, shrink=0.6, label="F1 of the topic on the test part")
bar.outline.set_visible(False)
ax.set_title("pypi-topics: height is the number of packages, colour how well 15 neighbours find the topic", fontsize=9)
plt.show()
