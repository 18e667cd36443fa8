"""
Four methods on eight data sets
===============================

An experiment from plan to picture: methods are run on several data sets, results go into one table on disk, and a
critical-difference diagram shows which methods differ.
"""

# %%
# A plan
# ------
# Eight made-up problems, trees and DAGs of different noise, and four methods. In a TOML file the plan would look the
# same, with names instead of objects.

import tempfile

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression

from truepath.data import make_hmc
from truepath.experiments import compare, critical_difference_diagram, format_table, run_experiment
from truepath.learners import PCTForest, PCTree, PerNode

data = {
    f"made {k}": make_hmc(160, n_features=10, n_nodes=14, dag=k % 2 == 1, noise=0.6 + 0.2 * k, random_state=k)
    for k in range(8)
}
plan = {
    "datasets": data,
    "methods": {
        "a stump": PCTree(max_depth=1),
        "one tree": PCTree(),
        "a forest": PCTForest(n_estimators=25),
        "logistic, per node": PerNode(LogisticRegression()),
    },
    "measures": ["micro_f1", "h_loss"],
    "folds": 2,
}

# %%
# Runs
# ----
# Every finished run is on disk at once. Running the same plan again keeps them all.

folder = tempfile.TemporaryDirectory()
result = run_experiment(plan, folder.name)
again = run_experiment(plan, folder.name)
print(result, "- kept the second time:", again.n_kept)

# %%
# A table
# -------
# Means and standard deviations over folds, the best of each row marked, mean ranks below. ``to="latex"`` is for papers.

print(format_table(result, "micro_f1", to="text"))

# %%
# Which methods differ
# --------------------
# Values are averaged over folds and ranked on each data set.

found = compare(result, "micro_f1")
print(found)
folder.cleanup()

# %%
# The critical-difference diagram: a bar joins methods that do not differ significantly.

critical_difference_diagram(found)
plt.show()
