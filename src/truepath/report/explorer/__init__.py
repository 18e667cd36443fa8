"""What the page stores so that its script can count again: scores at many thresholds, the rows, pairs of methods."""
