"""Neural networks: an ensemble of small ones for all labels at once (needs torch)."""
