"""Weights that stay narrow: constants of few bits, with scales and zero points, up to the operators that
read them.
"""
