"""
Hierarchical boosting: where to put the constraint
==================================================

H-Ada.MH of Chelmis & Qi (2021) forbids every weak hypothesis to say yes below a no (their rule 7). Here the rule is
tried where the paper has it, in every round, and where it costs nothing: in the final vote.
"""

# %%
# Thirty-nine labels in a tree, one path per instance.
import matplotlib.pyplot as plt
import numpy as np

from truepath import Hierarchy
from truepath.decoders import BestPath
from truepath.learners import AdaBoostMH, HAdaBoostMH
from truepath.learners.boosting.plots import plot_level_errors, plot_losses, plot_margins, plot_top_k
from truepath.metrics import hierarchical_f1

h = Hierarchy.from_paths([f"{a}/{b}/{c}" for a in "abc" for b in "123" for c in "xyz"])
rng = np.random.default_rng(0)
position = np.zeros((h.n_nodes, 8))
for v in range(h.n_nodes):  # siblings lie near each other
    above = position[h.parents(v)].sum(axis=0)
    position[v] = above + rng.normal(size=8) * 0.6 ** h.depth[v] * 2
leaf = h.leaves[rng.integers(0, h.leaves.size, 1500)]
X = position[leaf] + 0.5 * rng.normal(size=(1500, 8))
Y = h.close(np.eye(h.n_nodes, dtype=bool)[leaf])
X, X_test, Y, Y_test = X[:1000], X[1000:], Y[:1000], Y[1000:]

# %%
# Three boosters, a hundred rounds each. The literal rule stops early: no weak hypothesis has an edge any more.
boosters = {
    "H-Ada.MH, constraint='predict'": HAdaBoostMH(hierarchy=h, n_estimators=100),
    "H-Ada.MH, constraint='train'": HAdaBoostMH(hierarchy=h, n_estimators=100, constraint="train"),
    "Ada.MH": AdaBoostMH(hierarchy=h, n_estimators=100),
}
for name, booster in boosters.items():
    booster.fit(X, Y)
    print(f"{name}: {booster.n_estimators_} rounds, H-F {hierarchical_f1(Y_test, booster.predict(X_test), h):.3f}")

figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
plot_losses(boosters, X_test, Y_test, ax=axes[0, 0])
free = boosters["H-Ada.MH, constraint='predict'"]
plot_margins(free, X_test, Y_test, ax=axes[0, 1])
plot_top_k({name: booster.predict_proba(X_test) for name, booster in boosters.items()}, Y_test, h, ax=axes[1, 0])
plot_level_errors(free, X_test, Y_test, ax=axes[1, 1])

# %%
# ``predict`` noticed that every training row is one path, and returns one. :class:`~truepath.decoders.BestPath` does
# the same for the scores of any learner.
S = free.predict_proba(X_test)
above_half, best = S > 0.5, BestPath(hierarchy=h).fit(S).predict(S)
print(f"above one half {hierarchical_f1(Y_test, above_half, h):.3f}, best path {hierarchical_f1(Y_test, best, h):.3f}")
plt.show()
