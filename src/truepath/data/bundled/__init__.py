"""Data sets that come with the package."""
