"""
From rows to label sets in one estimator
========================================

:class:`~truepath.HierarchicalClassifier` puts a learner, a combiner and a decoder together and fits each on what it may
see. Here the decoder is varied over the same forest: what it is asked to make best shows on rows it has not seen.
"""

# %%
# Made-up data with a known hierarchy, and a forest whose out-of-bag scores serve to fit the decoder: one fit each.

import matplotlib.pyplot as plt
import numpy as np

from truepath import HierarchicalClassifier
from truepath.data import make_hmc
from truepath.decoders import MultiThreshold, SingleThreshold, Threshold
from truepath.learners import PCTForest
from truepath.metrics import evaluate

ds = make_hmc(n_samples=800, random_state=0)
decoders = {
    "0.5": Threshold(0.5),
    "one, micro-F1": SingleThreshold("micro_f1"),
    "one per class, micro-F1": MultiThreshold("micro_f1"),
    "one per class, shrunk": MultiThreshold("micro_f1", shrink="single"),
    "one per class, HMC-loss": MultiThreshold("hmc_loss"),
}
forest = PCTForest(n_estimators=50, random_state=0)
models = {
    name: HierarchicalClassifier(forest, decoder=decoder, hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y)
    for name, decoder in decoders.items()
}

# %%
# What each is best at. A threshold of one half leaves many labels out; the thresholds fitted for the HMC-loss,
# which prices a missed rare label highly, have the lowest HMC-loss.

measures = {
    name: evaluate(ds.test.y, model.predict(ds.test.X), hierarchy=ds.hierarchy, metrics=["micro_f1", "hmc_loss"])
    for name, model in models.items()
}
fig, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
places = np.arange(len(models))[::-1]
for ax, key, title in zip(axes, ["micro_f1", "hmc_loss"], ["micro-F1 (more is better)", "HMC-loss (less is better)"]):
    values = [measures[name][key] for name in models]
    ax.barh(places, values, color="0.75", edgecolor="0.2")
    for place, value in zip(places, values):
        ax.text(value, place, f" {value:.3f}", va="center")
    ax.set(title=title, xlim=(0, max(values) * 1.2))
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_yticks(places, list(models))
plt.show()

# %%
# Why did the first test row get its labels? Scores, thresholds and margins along the paths:

print(models["one per class, micro-F1"].explain(ds.test.X[0]))
