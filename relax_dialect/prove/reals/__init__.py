"""Proofs over the real numbers: formulas that an operator computes with other roundings."""
