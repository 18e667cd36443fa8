"""Local learners: one classifier per node, parent or level, over groups of labels that share their rows."""
