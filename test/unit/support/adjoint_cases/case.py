"""What a case of an adjoint is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Case(NamedTuple):
    """An expression of tensors, with their shapes; `low` and `high` bound their elements."""

    build: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    low: float = -2.0
    high: float = 2.0
    is_symbolic: bool = True


def case(build: Callable[..., Any], *shapes: tuple[int, ...], **bounds: Any) -> Case:
    """One whose sizes but 1 are symbolic."""
    return Case(build, shapes, **bounds)


def fixed(build: Callable[..., Any], *shapes: tuple[int, ...], **bounds: Any) -> Case:
    """One whose sizes are known."""
    return Case(build, shapes, is_symbolic=False, **bounds)
