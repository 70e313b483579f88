"""Relax, the graph level: dialect, symbolic shapes, tensor expressions, builder, interpreter.

>>> module = relax_dialect.parse(text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relax_dialect import float_syntax, func_syntax, linalg_syntax
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import load, parse, verify

if TYPE_CHECKING:
    from relax_dialect.builder import BlockBuilder

for syntax in (float_syntax, func_syntax, linalg_syntax):
    syntax.install()

__all__ = ["BlockBuilder", "RelaxError", "load", "parse", "verify"]


def __getattr__(name: str) -> Any:
    """Load the builder when it is asked for: reading programs does not need it."""
    if name == "BlockBuilder":
        from relax_dialect.builder import BlockBuilder

        return BlockBuilder
    raise AttributeError(f"module 'relax_dialect' has no attribute '{name}'")
