"""Linear learners: sparse rows and large hierarchies; the multitask lasso of sibling groups and its solver."""
