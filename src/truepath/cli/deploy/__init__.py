"""Commands that bring a model to where it works."""
