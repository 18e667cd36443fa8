"""Measures of the best labels of each row: how many are true, how early they come, how rare they are."""
