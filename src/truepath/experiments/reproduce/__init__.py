"""The five papers, rerun: published values beside ours."""

from truepath.experiments.reproduce.base import Cell, Comparison, Paper, Settings, Verdict

__all__ = ["Cell", "Comparison", "Paper", "Settings", "Verdict"]
