"""Exact queries on a directed tree of discrete variables, one row after the other, in logarithms.

``evidence[i, v]`` is the observed state of variable v, or -1. ``factors[v, s, t]`` is log P(v = t | parent(v) = s); a
root repeats its marginal in row 0. ``order`` lists parents first. A message is what a variable's subtree says about
its parent's states; the two kernels differ in how an unobserved variable is removed: by maximum or by sum.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def max_product(evidence, parent, order, n_states, factors):
    """Return for each row the best log-probability of a completion, and that completion; ties to the smaller state."""
    n_rows, n_variables = evidence.shape
    widest = factors.shape[1]
    best = np.zeros(n_rows)
    states = np.zeros((n_rows, n_variables), np.int16)
    below = np.empty((n_variables, widest))  # what the children of v say about each state of v
    choice = np.empty((n_variables, widest), np.int16)
    for i in range(n_rows):
        below[:] = 0.0
        for k in range(order.size - 1, -1, -1):
            v = order[k]
            u = parent[v]
            for s in range(n_states[u] if u >= 0 else 1):
                top, chosen = -np.inf, max(evidence[i, v], 0)
                if evidence[i, v] >= 0:
                    top = factors[v, s, chosen] + below[v, chosen]
                else:
                    for t in range(n_states[v]):
                        value = factors[v, s, t] + below[v, t]
                        if value > top:
                            top, chosen = value, t
                choice[v, s] = chosen
                if u >= 0:
                    below[u, s] += top
                else:
                    best[i] += top
        for k in range(order.size):
            v = order[k]
            states[i, v] = choice[v, states[i, parent[v]] if parent[v] >= 0 else 0]
    return best, states


@kernel
def _log_sum(values, size):
    """Return log(sum(exp(values[:size]))), -inf for an empty sum."""
    top = -np.inf
    for t in range(size):
        top = max(top, values[t])
    if top == -np.inf:
        return top
    total = 0.0
    for t in range(size):
        total += np.exp(values[t] - top)
    return top + np.log(total)


@kernel
def sum_product(evidence, parent, order, n_states, factors, n_wanted):
    """Return for each row log P(evidence), and log P(v = t, evidence) for the first ``n_wanted`` variables."""
    n_rows, n_variables = evidence.shape
    widest = factors.shape[1]
    total = np.zeros(n_rows)
    joint = np.full((n_rows, n_wanted, widest), -np.inf)
    below = np.empty((n_variables, widest))
    message = np.empty((n_variables, widest))  # from v to each state of its parent
    above = np.empty((n_variables, widest))  # log P(v = t, evidence outside the subtree of v)
    values = np.empty(widest)
    for i in range(n_rows):
        below[:] = 0.0
        for k in range(order.size - 1, -1, -1):
            v = order[k]
            u = parent[v]
            for s in range(n_states[u] if u >= 0 else 1):
                if evidence[i, v] >= 0:
                    t = evidence[i, v]
                    message[v, s] = factors[v, s, t] + below[v, t]
                else:
                    for t in range(n_states[v]):
                        values[t] = factors[v, s, t] + below[v, t]
                    message[v, s] = _log_sum(values, n_states[v])
                if u >= 0:
                    below[u, s] += message[v, s]
                else:
                    total[i] += message[v, s]
        if n_wanted == 0:
            continue
        for k in range(order.size):
            v = order[k]
            u = parent[v]
            for t in range(n_states[v]):
                if evidence[i, v] >= 0 and evidence[i, v] != t:
                    above[v, t] = -np.inf
                elif u < 0:
                    above[v, t] = factors[v, 0, t]
                else:
                    for s in range(n_states[u]):
                        values[s] = -np.inf
                        if above[u, s] > -np.inf and message[v, s] > -np.inf:
                            values[s] = above[u, s] + below[u, s] - message[v, s] + factors[v, s, t]
                    above[v, t] = _log_sum(values, n_states[u])
                if v < n_wanted:
                    joint[i, v, t] = above[v, t] + below[v, t]
    return total, joint
