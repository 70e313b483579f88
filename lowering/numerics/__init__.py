"""Narrow floats as f32, and `math` as polynomials."""
