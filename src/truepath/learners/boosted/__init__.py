"""Gradient boosting of trees that have a step for every label in their leaves."""
