"""Linear learners: the multitask lasso of sibling groups and its solver."""
