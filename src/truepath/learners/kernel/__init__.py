"""Kernel learners: ridge regression of all labels at once on the similarity of rows."""
