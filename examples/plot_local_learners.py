"""
Local learners side by side
===========================

Four ways to use the same classifier in a hierarchy, and what the strength of the lasso's penalty does to the features
that a group of siblings shares.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from truepath.data import make_hmc
from truepath.learners import BinaryRelevance, PerLevel, PerNode, PerParent
from truepath.learners.linear.multitask_lasso import PENALTIES, largest_alpha, solve_path
from truepath.metrics import hierarchical_f1

# %%
# A random tree, and labels that depend on the features.
ds = make_hmc(n_samples=600, random_state=0)
ds = ds if "test" in ds else ds.split((0.5, 0.5), random_state=0)

# %%
# The same logistic regression, placed differently.
estimator = LogisticRegression(max_iter=1000)
learners = {
    "PerNode, siblings": PerNode(estimator, hierarchy=ds.hierarchy),
    "PerNode, less inclusive": PerNode(estimator, hierarchy=ds.hierarchy, policy="less_inclusive"),
    "PerParent": PerParent(estimator, hierarchy=ds.hierarchy),
    "PerLevel": PerLevel(estimator, hierarchy=ds.hierarchy),
    "BinaryRelevance": BinaryRelevance(estimator, hierarchy=ds.hierarchy),
}
scores = {
    name: hierarchical_f1(ds.test.y, learner.fit(ds.train.X, ds.train.y).predict(ds.test.X), ds.hierarchy)
    for name, learner in learners.items()
}
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.barh(list(scores), list(scores.values()))
ax.set(xlabel="hierarchical F1", title="One estimator, five places")

# %%
# Along the path of the L2,1 penalty whole rows enter: a feature serves all siblings at the top, or none.
X = ds.train.X
Y = ds.train.y[:, ds.hierarchy.roots].astype(float)
Y = Y[:, Y.any(axis=0) & ~Y.all(axis=0)]
omega = np.full(X.shape[0], 1 / X.shape[0])
alphas = largest_alpha(X, Y, omega, PENALTIES["l21"]) * np.geomspace(1, 0.02, 25)
norms = [np.linalg.norm(fit.coef, axis=1) for fit in solve_path(X, Y, omega, alphas, PENALTIES["l21"])]
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.semilogx(alphas, norms)
ax.invert_xaxis()
ax.set(xlabel="alpha", ylabel="norm of a feature's row", title="The path of the multitask lasso")
plt.show()
