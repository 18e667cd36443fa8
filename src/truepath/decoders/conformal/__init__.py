"""Label sets with a guarantee: conformal prediction on held-out scores, every set closed under ancestors."""
