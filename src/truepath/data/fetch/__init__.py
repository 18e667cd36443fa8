"""Data sets that are not part of the package: downloaded and checked, or made from files that you have."""
