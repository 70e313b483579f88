"""Converters of ATen's operators, by operator family."""
