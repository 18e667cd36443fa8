"""What each feature of a row adds to its scores: exact for linear models and trees, by leaving out for all others."""
