"""Scalars, their types and their arithmetic as terms of z3."""
