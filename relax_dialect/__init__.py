"""Relax, the graph level: dialect, symbolic shapes, tensor expressions, interpreter.

>>> module = relax_dialect.parse(text)
"""

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import load, parse, verify

__all__ = ["RelaxError", "load", "parse", "verify"]
