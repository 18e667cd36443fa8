"""Baselines: how common terms are, and what similar proteins have."""
