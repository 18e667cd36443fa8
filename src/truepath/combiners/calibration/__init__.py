"""Scores made into probabilities by what held-out rows show, each label helped by its neighbours in the hierarchy."""
