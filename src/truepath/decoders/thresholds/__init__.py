"""Decoders that compare scores with thresholds: one for all classes, or one per class (Triguero & Vens)."""
