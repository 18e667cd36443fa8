"""Bayesian learners: naive Bayes over all nodes, and naive Bayes or TAN for every label."""
