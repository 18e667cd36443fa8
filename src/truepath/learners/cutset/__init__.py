"""Cutset networks: tractable joint distributions of labels and discrete features, with exact queries."""
