"""The whole way from X to label sets in one scikit-learn estimator."""

__all__: list[str] = []
