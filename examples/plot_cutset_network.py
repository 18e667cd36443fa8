"""
A cutset network: drawn, and asked with half of the evidence
=============================================================

A cutset network is a joint distribution of labels and features. It is learned here from discretised data, drawn, and
asked three questions: which label set is most probable, what each label's probability is, and what both become when
features are missing or a label is known.
"""

import matplotlib.pyplot as plt
import numpy as np

from truepath import Hierarchy
from truepath.learners import RestrictedCutsetNetwork, plot_cutset_network
from truepath.preprocessing import LAIM

# Weather by numbers; labels form a small hierarchy.
rng = np.random.default_rng(0)
hierarchy = Hierarchy.from_paths(["wet", "wet/rain", "wet/snow", "windy", "outdoor sports"])
n = 600
temperature, pressure, wind = rng.normal(8, 9, n), rng.normal(1013, 9, n), rng.gamma(2, 4, n)
wet = pressure + rng.normal(0, 4, n) < 1010
snow = wet & (temperature + rng.normal(0, 1, n) < 1)
windy = wind + rng.normal(0, 1, n) > 10
sports = ~wet & ~windy & (temperature > 5)
Y = np.zeros((n, hierarchy.n_nodes), bool)
Y[:, hierarchy.indices(["wet", "wet/rain", "wet/snow", "windy", "outdoor sports"])] = np.column_stack(
    [wet, wet & ~snow, snow, windy, sports]
)
X = np.column_stack([temperature, pressure, wind, temperature - 0.3 * wind])
names = ["temperature", "pressure", "wind", "felt temperature"]

# %%
# Cut points are learned from the labels (LAIM), then the network from the interval numbers.
laim = LAIM(max_intervals=3).fit(X, Y)
model = RestrictedCutsetNetwork(hierarchy=hierarchy, min_features=1).fit(laim.transform(X), Y)

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5))
plot_cutset_network(model, feature_names=names, ax=left)
left.set_title("OR nodes", fontsize=10)
plot_cutset_network(model, leaf=0, feature_names=names, ax=right)
figure.tight_layout()

# %%
# A cold day of low pressure; the anemometer is broken, so wind is missing. The label "wet" has probability .75, yet the
# single most probable label set is the empty one: the mass of "wet" is shared between rain and snow. The most probable
# set is right for exact match, the marginals are right for one label at a time.
day = laim.transform([[-9.0, 995.0, np.nan, -10.0]])
print("most probable closed label set:", hierarchy.decode(model.predict(day)))
for name, p in zip(hierarchy.names, model.predict_marginals(day)[0]):
    print(f"  P({name}) = {p:.2f}")

# %%
# Suppose wind is reported: condition on that label.
known = np.full((1, hierarchy.n_nodes), np.nan)
known[0, hierarchy.index("windy")] = 1
print("given wind:", hierarchy.decode(model.predict(day, known=known)))
plt.show()
