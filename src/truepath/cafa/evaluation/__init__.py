"""Evaluation as CAFA does it: per aspect, all thresholds at once, every option of its evaluator."""
