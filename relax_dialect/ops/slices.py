"""Slices of an axis with symbolic sizes: where they begin, and how long they are."""

from __future__ import annotations

from dataclasses import dataclass

from relax_dialect import symbolic
from relax_dialect.symbolic import Expr, const

FAR = 2**60
"""Beyond both ends of every axis, and yet far from where sizes overflow."""


@dataclass(frozen=True)
class Slice:
    """The elements `first`, `first + stride`, ... of an axis, `length` of them."""

    first: Expr
    stride: int
    length: Expr

    @staticmethod
    def of(size: Expr, begin: Expr, end: Expr, stride: int) -> Slice:
        """Return Python's `begin:end:stride`: negative constants count from the end of the axis, and bounds
        are clamped to it. (Sizes stay short, as only bounds that may be outside are clamped.)"""
        clamped = Slice._forward if stride > 0 else Slice._backward
        first, span = clamped(size, begin, end)
        return Slice(first, stride, symbolic.ceildiv(symbolic.maximum(span, 0), abs(stride)))

    @staticmethod
    def _forward(size: Expr, begin: Expr, end: Expr) -> tuple[Expr, Expr]:
        """Return the first index, and how far from there the end is."""
        stop = size if end.value == FAR else symbolic.minimum(_from_front(end, size), size)
        if begin.value == -FAR:
            return const(0), stop
        if (begin.value or 0) < 0:
            span = symbolic.minimum(stop - size - begin, stop)
            return symbolic.maximum(size + begin, 0), span
        return begin, stop - begin

    @staticmethod
    def _backward(size: Expr, begin: Expr, end: Expr) -> tuple[Expr, Expr]:
        last = size - 1
        first = last if begin.value == FAR else symbolic.minimum(_from_front(begin, size), last)
        if end.value == -FAR:
            return first, first + 1
        if (end.value or 0) < 0:
            return first, symbolic.minimum(first - size - end, first + 1)
        return first, first - end

    @staticmethod
    def assumed(size: Expr, begin: Expr, end: Expr, stride: int) -> Expr:
        """Return the length where begin and end are known to be inside of the axis, in this order."""
        span = _from_front(end, size) - _from_front(begin, size)
        return symbolic.ceildiv(span if stride > 0 else -span, abs(stride))


def _from_front(index: Expr, size: Expr) -> Expr:
    """Return an index counted from the front of its axis."""
    return size + index if (index.value or 0) < 0 else index


def near(bound: int) -> Expr:
    """Return an integer bound, cut off where no axis reaches."""
    return const(max(-FAR, min(bound, FAR)))
