"""Boosting for label sets: AdaBoost.MH and the hierarchy-aware H-Ada.MH."""
