"""The registry of operators' tensor expressions: a package that has some registers them on import.

`lowering` registers those of our operators; `relax_dialect.gradient` differentiates them for operators
without an adjoint of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Operation

Definition: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]
"""The results of an operator by its tensor operands, in order, as `te.Tensor`s."""

Source: TypeAlias = Callable[[Operation], Definition | None]
"""The definition of an operator, if it has one here."""

_SOURCES: dict[Source, None] = {}


def add(source: Source) -> None:
    """Register another source of definitions."""
    _SOURCES[source] = None


def definition(op: Operation) -> Definition | None:
    """Return the tensor expressions that define an operator, if any package that is imported has some."""
    found = (source(op) for source in _SOURCES)
    return next((each for each in found if each is not None), None)
